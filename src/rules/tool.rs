//! What a command of a developer's shell is for: tests, lints, builds, commits, pushes.

use crate::rules::shell::base_name;

/// What a command is known to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Test,
    Lint,
    Build,
    Commit,
    Push,
}

/// What a simple command does, by its words; `None` when it is none of these or not known.
pub fn kind(words: &[String]) -> Option<Kind> {
    use Kind::{Build, Lint, Test};
    let (program, args) = words.split_first()?;
    let (name, args) = (base_name(program), Args(args));
    if args.has(&["--help", "--version"]) {
        return None;
    }
    match name {
        "cargo" => cargo(args),
        "npm" | "pnpm" | "yarn" | "bun" | "deno" | "composer" => package_script(name, args),
        "node" | "tsx" if args.has(&["--test"]) => Some(Test),
        "python" | "python3" | "py" | "coverage" | "uvx" => python(args),
        "go" | "dart" | "flutter" | "swift" | "dotnet" | "mix" | "stack" | "cabal" | "dune"
        | "zig" | "sbt" | "lein" | "rebar3" | "bazel" | "buck2" | "moon" | "nx" | "turbo"
        | "hatch" | "forge" | "hardhat" | "xcodebuild" | "artisan" | "rails" | "crystal" => {
            args.words().find_map(by_name)
        }
        "mvn" | "mvnw" | "gradle" | "gradlew" | "ant" => jvm(args),
        "make" | "gmake" | "just" | "task" | "rake" | "mage" | "ninja" | "meson" | "invoke" => {
            let targets = args.words().filter(|w| !w.contains('='));
            match targets.clone().find_map(by_name) {
                None if targets.count() == 0 && matches!(name, "make" | "ninja") => Some(Build),
                found => found,
            }
        }
        "git" => git(args),
        "sh" | "bash" | "zsh" | "dash" | "ruby" | "perl" | "php" | "node" | "tsx" | "source"
        | "." => match args.words().next()? {
            "artisan" | "bin/console" => args.words().nth(1).and_then(by_name),
            script => by_script(script),
        },
        "pytest" | "py.test" | "tox" | "nox" | "nosetests" | "jest" | "vitest" | "mocha"
        | "ava" | "jasmine" | "karma" | "cypress" | "playwright" | "rspec" | "cucumber"
        | "phpunit" | "pest" | "paratest" | "ctest" | "bats" | "prove" | "busted" | "behave"
        | "robot" | "gotestsum" | "ginkgo" | "nextest" | "shellspec" | "tape" | "c8" | "nyc"
        | "trial" | "ward" | "minitest" | "kaocha" | "cargo-nextest" | "bun-test" => Some(Test),
        "eslint" | "prettier" | "tsc" | "vue-tsc" | "ruff" | "flake8" | "pylint" | "mypy"
        | "pyright" | "black" | "isort" | "shellcheck" | "shfmt" | "rubocop" | "stylelint"
        | "biome" | "golangci-lint" | "staticcheck" | "gofmt" | "rustfmt" | "hadolint"
        | "yamllint" | "markdownlint" | "actionlint" | "pre-commit" | "clang-tidy" | "phpstan"
        | "psalm" | "ktlint" | "detekt" | "oxlint" | "standard" | "xo" => Some(Lint),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "rustc" | "javac" | "kotlinc"
        | "webpack" | "rollup" | "esbuild" | "tsup" | "msbuild" | "wasm-pack" | "swiftc" => {
            Some(Build)
        }
        "cmake" if args.has(&["--build"]) => Some(Build),
        "vite" | "next" | "nuxt" | "astro" | "docker" | "podman" | "trunk" | "ng" => {
            args.words().next().and_then(by_name)
        }
        _ if program.contains('/') => by_script(program),
        _ => None,
    }
}

/// Whether a command that runs tests runs only some of them: it names a test, a file, a package.
pub fn is_selection(words: &[String]) -> bool {
    let Some((program, args)) = words.split_first() else { return false };
    let args = Args(args);
    match base_name(program) {
        "cargo" => {
            let options = ["-p", "--package", "--lib", "--bin", "--bins", "--test", "--doc", "-E"];
            let more = ["--example", "--examples", "--skip", "--exact", "--ignored", "--filterset"];
            args.has(&options) || args.has(&more) || args.cargo_filters() > 0
        }
        "pytest" | "py.test" | "python" | "python3" => {
            args.has(&["-k", "-m", "--lf", "--last-failed", "--deselect"]) && !args.is_module()
                || args.has(&["-k", "--lf", "--last-failed", "--deselect"])
                || args.words().any(|w| {
                    let is_file = w.ends_with(".py") && !w.ends_with("manage.py");
                    w.contains("::") || is_file
                })
                || args.unittest_names() > 0
        }
        "go" => {
            let pkg = |w: &&str| w.starts_with("./") && !w.ends_with("...");
            args.has(&["-run"]) || args.words().any(|w| pkg(&w))
        }
        "mvn" | "mvnw" => args.0.iter().any(|w| w.starts_with("-Dtest")),
        "gradle" | "gradlew" => args.has(&["--tests"]),
        "dotnet" | "phpunit" | "ctest" | "swift" => args.has(&["--filter", "-R", "-L"]),
        _ => {
            let is_file = |w: &str| {
                let parts = [".test.", ".spec.", "_spec.rb", "_test.rb"];
                parts.iter().any(|part| w.contains(part))
            };
            args.has(&["-t", "--grep", "-g", "--testNamePattern", "--testPathPattern"])
                || args.words().any(is_file)
        }
    }
}

/// Words behind a program.
#[derive(Clone, Copy)]
struct Args<'a>(&'a [String]);

impl<'a> Args<'a> {
    /// Those that are no options.
    fn words(self) -> impl Iterator<Item = &'a str> + Clone {
        let is_word = |w: &&str| !w.starts_with('-') && !w.starts_with('+');
        self.0.iter().map(String::as_str).filter(is_word)
    }

    /// One of these options, with or without `=value`.
    fn has(self, options: &[&str]) -> bool {
        let name = |w: &'a String| w.split_once('=').map_or(w.as_str(), |(name, _)| name);
        self.0.iter().any(|w| options.contains(&name(w)))
    }

    /// `python -m pytest`: the `-m` is the interpreter's.
    fn is_module(self) -> bool {
        self.0.first().is_some_and(|w| w == "-m")
            && self.0.iter().filter(|w| *w == "-m").count() == 1
    }

    /// Names of tests for `cargo test`, which knows options that take a value.
    fn cargo_filters(self) -> usize {
        const VALUED: [&str; 10] = [
            "--features",
            "-F",
            "--manifest-path",
            "--target",
            "--profile",
            "-j",
            "--jobs",
            "--color",
            "--message-format",
            "--target-dir",
        ];
        let mut takes_value = false;
        let mut count = 0_usize;
        for word in self.0 {
            let is_value = std::mem::replace(&mut takes_value, VALUED.contains(&word.as_str()));
            let is_word = !word.starts_with('-') && !word.starts_with('+');
            count += usize::from(is_word && !is_value && !word.bytes().all(|b| b.is_ascii_digit()));
        }
        // `test`, or `nextest run`.
        let own = self.words().take(2).filter(|w| ["test", "t", "nextest", "run", "r"].contains(w));
        count.saturating_sub(own.count())
    }

    /// Modules named to `python -m unittest`.
    fn unittest_names(self) -> usize {
        let mut words = self.words().skip_while(|w| *w != "unittest");
        match (words.next(), words.next()) {
            (Some(_), Some("discover")) | (None, _) => 0,
            (Some(_), first) => usize::from(first.is_some()),
        }
    }
}

fn cargo(args: Args) -> Option<Kind> {
    match args.words().next()? {
        "test" | "t" | "nextest" | "llvm-cov" | "tarpaulin" | "mutants" => {
            Some(if args.has(&["--no-run"]) { Kind::Build } else { Kind::Test })
        }
        "hack" | "xtask" | "make" | "miri" | "careful" => args.words().skip(1).find_map(by_name),
        "clippy" | "fmt" | "deny" | "audit" => Some(Kind::Lint),
        "build" | "b" | "check" | "c" | "doc" => Some(Kind::Build),
        _ => None,
    }
}

fn package_script(name: &str, args: Args) -> Option<Kind> {
    const VALUED: [&str; 6] = ["--filter", "-w", "--workspace", "--prefix", "-C", "--cwd"];
    let mut takes_value = false;
    let mut words = args.0.iter().map(String::as_str).filter(|w| {
        let is_value = std::mem::replace(&mut takes_value, VALUED.contains(w));
        !w.starts_with('-') && !is_value
    });
    match words.next()? {
        "test" | "t" | "tst" => Some(Kind::Test),
        "run" | "run-script" | "workspace" | "workspaces" | "foreach" => {
            words.take(2).find_map(by_name)
        }
        "lint" | "check" | "fmt" if name == "deno" => Some(Kind::Lint),
        "exec" | "dlx" | "x" => kind(&words.map(str::to_owned).collect::<Vec<_>>()),
        "install" | "add" | "ci" | "i" | "remove" | "create" | "init" => None,
        script if name == "yarn" || name == "pnpm" || name == "bun" => {
            by_name(script).or_else(|| {
                let rest: Vec<String> =
                    std::iter::once(script.to_owned()).chain(words.map(str::to_owned)).collect();
                // `yarn jest` runs a program of the project.
                (!["npm", "yarn", "pnpm", "bun"].contains(&script)).then(|| kind(&rest)).flatten()
            })
        }
        _ => None,
    }
}

fn python(args: Args) -> Option<Kind> {
    let mut words = args.words();
    let first = words.next()?;
    match first {
        "pytest" | "unittest" | "nose" | "nose2" | "tox" | "doctest" | "nox" | "behave" => {
            Some(Kind::Test)
        }
        "mypy" | "ruff" | "flake8" | "pylint" | "black" | "isort" | "pyright" => Some(Kind::Lint),
        "build" | "compileall" | "py_compile" => Some(Kind::Build),
        "run" => words.next().and_then(|w| python(Args(&["-m".to_owned(), w.to_owned()]))),
        _ if base_name(first) == "manage.py" || base_name(first) == "setup.py" => {
            words.next().and_then(by_name)
        }
        _ => by_script(first),
    }
}

/// These build tools run the tests on their way to a package.
fn jvm(args: Args) -> Option<Kind> {
    let skips = args.0.iter().any(|w| w.starts_with("-DskipTests") || w.contains("test.skip"))
        || args.0.windows(2).any(|w| w[0] == "-x" && w[1].ends_with("test"));
    args.words().find_map(|word| {
        let goal = word.rsplit(':').next().unwrap_or(word);
        match goal {
            "verify" | "package" | "install" | "deploy" | "build" | "check" => {
                Some(if skips { Kind::Build } else { Kind::Test })
            }
            "compile" | "assemble" | "classes" | "jar" => Some(Kind::Build),
            _ => by_name(goal),
        }
    })
}

fn git(args: Args) -> Option<Kind> {
    let mut words = args.0.iter().map(String::as_str);
    let command = loop {
        match words.next()? {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            option if option.starts_with('-') => {}
            command => break command,
        }
    };
    match command {
        _ if args.has(&["--dry-run"]) => None,
        "commit" | "cherry-pick" | "revert" | "am" | "merge" | "rebase" => Some(Kind::Commit),
        "push" => Some(Kind::Push),
        _ => None,
    }
}

/// By the name of a script file, or of the directory that it is in.
fn by_script(path: &str) -> Option<Kind> {
    let name = base_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    by_name(stem).filter(|kind| *kind != Kind::Build || stem.starts_with("build")).or_else(|| {
        let mut folders = path.rsplit('/').skip(1);
        let is_tests =
            |dir: &str| matches!(dir, "test" | "tests" | "spec" | "specs" | ".ci" | "ci");
        let is_run = matches!(stem, "run" | "run_all" | "all" | "runner" | "index" | "main");
        (is_run && folders.next().is_some_and(is_tests)).then_some(Kind::Test)
    })
}

/// By the words in the name of a target, a script or a subcommand.
fn by_name(name: &str) -> Option<Kind> {
    let lower = name.to_ascii_lowercase();
    let has = |list: &[&str]| {
        lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| list.contains(&part))
    };
    match () {
        () if has(&["lint", "typecheck", "tsc", "fmt", "format", "vet", "analyze", "clippy"])
            || lower.contains("type-check")
            || lower.contains("types:check") =>
        {
            Some(Kind::Lint)
        }
        () if has(&["test", "tests", "spec", "specs", "check", "verify", "e2e", "unit", "ci"])
            || has(&["integration", "coverage", "selftest", "runtest", "runtests", "eunit"])
            || lower.ends_with("test")
            || lower.ends_with("tests") =>
        {
            Some(Kind::Test)
        }
        () if has(&["build", "compile", "bundle", "dist", "all"]) => Some(Kind::Build),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::shell::steps;

    fn kinds(line: &str) -> Vec<Kind> {
        steps(line).iter().filter_map(|s| kind(&s.words)).collect()
    }

    #[test]
    fn commands_are_known_by_what_they_run() {
        use Kind::{Build, Commit, Lint, Push, Test};
        for line in [
            "cargo test",
            "cargo nextest run",
            "cargo +nightly test --offline -- --nocapture",
            "npm test",
            "npm t",
            "npm run test:unit",
            "yarn test",
            "pnpm --filter web test",
            "yarn jest",
            "npx vitest run",
            "bun test",
            "deno test",
            "node --test",
            "node tests/run.js",
            "pytest -q",
            "python -m pytest",
            "python3 -m unittest",
            "uv run pytest",
            "tox -e py312",
            "go test ./...",
            "make test",
            "make -C sub check",
            "just test",
            "mvn -q verify",
            "./gradlew test",
            "./mvnw install",
            "bundle exec rspec",
            "vendor/bin/phpunit",
            "ctest --test-dir build",
            "dotnet test",
            "mix test",
            "bats tests",
            "tests/run",
            "./run_tests.sh",
            "bash scripts/test.sh",
            "bash tests/test_a.sh",
            ".ci/run",
            "python manage.py test",
            "rake test",
            "bash -c 'cd x && cargo test'",
            "swift test",
            "coverage run -m pytest",
            "php artisan test",
            "composer test",
            "bin/rails test",
            "ssh-agent true; make check",
            "npx playwright test",
        ] {
            assert_eq!(kinds(line), [Test], "{line}");
        }
        for (line, expected) in [
            ("cargo clippy --all-targets", Lint),
            ("npm run lint", Lint),
            ("npx tsc --noEmit", Lint),
            ("npm run typecheck", Lint),
            ("ruff check .", Lint),
            ("bash scripts/lint.sh", Lint),
            ("go vet ./...", Lint),
            ("cargo build", Build),
            ("make", Build),
            ("npm run build", Build),
            ("go build ./...", Build),
            ("mvn package -DskipTests", Build),
            ("cargo test --no-run", Build),
            ("gcc a.c", Build),
            ("git commit -qm x", Commit),
            ("git -C sub -c user.name=x commit -m x", Commit),
            ("git push", Push),
        ] {
            assert_eq!(kinds(line), [expected], "{line}");
        }
    }

    #[test]
    fn commands_that_only_speak_of_tests_are_none() {
        for line in [
            "cat tests/run",
            "grep -rn 'cargo test' .",
            "git commit --dry-run -m 'make test pass'",
            "echo npm test",
            "ls tests",
            "cat > run.sh <<'E'\ncargo test\nE",
            "vim test.sh",
            "git log -- tests",
            "npm install",
            "npm install jest",
            "cargo add pytest",
            "python3 app.py",
            "node server.js",
            "pytest --version",
            "git status",
            "which pytest",
            "rm -rf tests",
            "cargo run",
            "go mod tidy",
            "sed -i s/a/b/ tests/run.sh",
            "docker ps",
            "python3 - <<'E'\nimport pytest\nE",
        ] {
            assert_eq!(kinds(line), [], "{line}");
        }
    }

    #[test]
    fn a_selection_of_tests_is_told_from_all() {
        let is_some = |line: &str| steps(line).iter().any(|s| is_selection(&s.words));
        for line in [
            "cargo test --test length",
            "cargo test -p core",
            "cargo test parse::",
            "cargo test -- parse",
            "pytest -k x",
            "pytest tests/test_a.py",
            "pytest tests/test_a.py::test_b",
            "python -m pytest -k a",
            "python -m unittest tests.test_a",
            "go test ./pkg/x",
            "go test -run X ./...",
            "npx jest a.test.ts",
            "npm test -- -t login",
            "mvn test -Dtest=Foo",
            "gradle test --tests Foo",
            "cargo nextest run -E 'test(a)'",
        ] {
            assert!(is_some(line), "{line}");
        }
        for line in [
            "cargo test",
            "cargo test --offline",
            "cargo test --features a -j 4",
            "cargo nextest run",
            "pytest",
            "pytest -q tests",
            "python -m pytest",
            "python3 -m unittest",
            "python3 -m unittest discover -s tests",
            "go test ./...",
            "npm test",
            "npx jest",
            "mvn test",
            "cargo test -- --nocapture",
            "make check",
            "cargo test --test-threads=1",
            "cargo +stable test",
        ] {
            assert!(!is_some(line), "{line}");
        }
    }
}
