use proptest::prelude::*;

use super::*;

/// Made of pieces, so that no scanner takes this file for a leak.
fn s(pieces: &[&str]) -> String {
    pieces.concat()
}

const BODY: &str = "Zk3vQ9x2LmT7aB4rYw8PnD5sKc1HfG6jUe0";

fn hidden(text: &str) -> String {
    redact(text, &Secrets::default()).into_owned()
}

/// Tokens of every kind with what may stay of each.
fn tokens() -> Vec<(String, &'static str)> {
    let upper: String = BODY.to_uppercase().chars().take(16).collect();
    let jwt = s(&["ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", BODY]);
    let plain = [
        "sk-ant-",
        "sk-proj-",
        "sk-",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "xapp-",
        "AIza",
        "ya29.",
        "GOCSPX-",
        "sk_live_",
        "sk_test_",
        "rk_live_",
        "whsec_",
        "npm_",
        "pypi-A",
        "hf_",
        "dckr_pat_",
        "hvs.",
        "gsk_",
        "Bearer ",
        "Authorization: Basic ",
        "https://hooks.slack.com/",
        "https://discord.com/api/webhooks/",
        "AccountKey=",
    ];
    let mut all: Vec<_> = plain.into_iter().map(|p| (s(&[p, BODY]), p)).collect();
    all.push((s(&["AKIA", &upper]), "AKIA"));
    all.push((s(&["ASIA", &upper]), "ASIA"));
    all.push((s(&["SG.", &BODY[..22], ".", BODY]), "SG."));
    all.push((jwt, ""));
    all
}

#[test]
fn tokens_are_known_by_their_shape_wherever_they_stand() {
    for (token, kept) in tokens() {
        let places = [
            ("", ""),
            ("use ", " now"),
            ("(", ")"),
            ("\"", "\","),
            ("+", "\n"),
            ("\x1b[31m", "\x1b[0m"),
            ("\\n", "\\n"),
            ("a=%20", "%26"),
            ("目", "录"),
            ("- ", "."),
            ("> ", "\r\n"),
            ("key: ", "…"),
            ("[31m ", "[0m"),
        ];
        for (before, after) in places {
            let text = s(&[before, &token, after]);
            let out = hidden(&text);
            let secret = &token[kept.len()..];
            assert!(!out.contains(secret) && out.contains(MARK), "{text:?} became {out:?}");
            assert!(out.contains(kept), "{text:?} became {out:?}");
        }
    }
}

#[test]
fn values_with_a_secrets_name_are_hidden_and_the_name_stays() {
    let table = [
        "password = \"<hunter2>\"",
        "password: <hunter2>",
        "password=<hunter2>",
        "\"password\": \"<swordfish>\",",
        "{\\\"password\\\": \\\"<swordfish>\\\"}",
        "let db_password = \"<correct-horse>\";",
        "DB_PASSWORD=<swordfish>",
        "export API_TOKEN='<a1b2c3d4e5>'",
        "-e MYSQL_ROOT_PASSWORD=<letmein> -p 1",
        "+  SECRET_KEY_BASE: <3f9a0c2b77d14e5f>",
        "-    apiKey: '<0123abcd4567>',",
        "aws_secret_access_key = <wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1>",
        "\"SecretAccessKey\": \"<wJalrXUtnFEMI/K7MDENG/bPxRfiCY1>\"",
        "client_secret=<9f8e7d6c5b4a>&grant_type=x",
        "https://x.test/cb?access_token=<9f8e7d6c5b4a3210>&state=1",
        "AccountName=a;AccountKey=<q1W2e3R4t5Y6u7I8o9P0==>;EndpointSuffix=core",
        "Server=db;Password=<hunter2>;User=x",
        "deploy --token <9f8e7d6c5b4a3210> --force",
        "login --password=<hunter2> --user me",
        "login --password <swordfish>",
        "[\"--api-key\", \"<9f8e7d6c5b4a3210>\"]",
        "curl -u admin:<hunter2> https://x.test",
        "curl --user \"admin:<hunter2>\" https://x.test",
        "Authorization: Bearer <abcdef123456>",
        "-H 'Authorization: token <abcdef123456>'",
        "\"Authorization\": \"Basic <dXNlcjpwYXNz>\"",
        "X-Api-Key: <9f8e7d6c5b4a3210>",
        "Cookie: <sid=9f8e7d6c5b4a3210; theme=dark>",
        "<password><hunter2></password>",
        "postgres://app:<hunter2>@db:5432/x",
        "git clone https://<9f8e7d6c5b4a3210>@git.test/x",
        "%22password%22%3A%22<hunter2>%22",
        "password%3D<hunter2>%26x",
        "密码：<hunter2>",
        "passphrase = \"<my s3cret phrase>\"",
        "config[\"api_key\"] = \"<9f8e7d6c5b4a>\"",
        "if token == \"<9f8e7d6c5b4a3210>\" {",
        "token := \"<9f8e7d6c5b4a3210>\"",
        "'secret' => '<9f8e7d6c5b4a3210>',",
        "Password: <Tr0ub4dor&3>",
        "The password is <s3cret-x>, keep it.",
        "ALTER USER x WITH PASSWORD '<s3cret-x>';",
        "password: |\n  <hunter2x>\nuser: y",
        "+password: >-\n+  <hunter2x>\n",
        "- name: DB_PASSWORD\n  value: <hunter2x>\n",
        "+        - name: API_KEY\n+          value: \"<abc12345>\"\n",
        "{ \"Name\": \"api_key\", \"Value\": \"<abc12345>\" }",
        "<add key=\"ApiKey\" value=\"<abc12345def>\"/>",
        "api_key=<abc12345def>\nx=1",
        "-api_key: <abc12345def>",
        "export api_key=<abc12345def> # mine",
        "curl -H \"X-API-Key: <abc12345def>\"",
        "x?page=1&token=<abc12345def>&y=2",
        "{\\\"password\\\":\\\"<hunter2>\\\"}",
        "\\\\\"password\\\\\": \\\\\"<hunter2>\\\\\"",
        "password: Some(String::from(\"<hunter2>\")),",
        "PASSWORD=\"<correct horse battery staple>\"",
        "password: <12345678>",
        "password: <Password123>",
    ];
    for case in table {
        // Markup has such brackets of its own.
        let case = case.replace("<password>", "\u{1}password\u{2}").replace("</", "\u{1}/");
        let case = case
            .replace("<add ", "\u{1}add ")
            .replace("/>", "/\u{2}")
            .replace("word>", "word\u{2}");
        let back = |text: &str| text.replace('\u{1}', "<").replace('\u{2}', ">");
        let (before, rest) = case.split_once('<').unwrap();
        let (secret, after) = rest.rsplit_once('>').unwrap();
        let (before, after) = (back(before), back(after));
        let expected = s(&[&before, MARK, &after]);
        assert_eq!(hidden(&s(&[&before, secret, &after])), expected);
    }
}

#[test]
fn ordinary_code_and_prose_stay_as_they_are() {
    let table = [
        "fn next(token: &str) -> Option<Token> {",
        "let password = prompt();",
        "let token = self.tokens.next2();",
        "fn tokens() -> usize { 3 }",
        "secret_key: Option<String>,",
        "tokens: 1234, max_tokens: 200000",
        "commit 80c01229f3a6c1c0b5a7f2d3e4c5b6a7980c0122",
        "index 3f9a0c2b77..80c01229f3 100644",
        "diff --git a/src/token1.rs b/src/password2.rs",
        "password: String,",
        "password?: string;",
        "token: T1, key: K2",
        "api_key = os.environ[\"API_KEY2\"]",
        "apiKey: process.env.API_KEY_V2,",
        "password=password1, token=token2",
        "connect(password=cfg.db1.password)",
        "password = input.password2;",
        "const TOKEN = Lexer::new(1);",
        "auth: refactor oauth2 login",
        "feat(auth): add 12 tests",
        "Authorization: Bearer ${TOKEN}",
        "headers[\"Authorization\"] = f\"Bearer {token}\"",
        "\"Authorization\": \"Bearer \" + token1,",
        "authorization: req.headers.authorization",
        "{\"type\": \"password\", \"name\": \"token\"}",
        "\"password\": \"Password is required\"",
        "\"password\": \"must be at least 8 characters\"",
        "password: \"\"",
        "API_KEY=$(pass show key1)",
        "DB_PASSWORD=${DB_PASSWORD}",
        "password: ${{ secrets.DB_PASSWORD1 }}",
        "--token <TOKEN>  the token to use",
        "the --password option; see --token-file PATH1",
        "password: ********",
        "token = \"EOF\"",
        "assert_eq!(token, Token::Ident(1));",
        "secretName: my-tls-1",
        "token_count = 12345678",
        "PASSWORD_MIN_LENGTH=12",
        "the task-runner and risk-averse sk-fading-circle-container",
        "class=\"sk-cube-grid sk-cube1 sk-folding-cube\"",
        "ssh://git@github.com/x/y, https://example.com:8080/a@b",
        "git@github.com:org/repo.git",
        "http://user:${PASS}@host/",
        "if line == \"-----BEGIN PRIVATE KEY-----\" { is_key = true; }",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUe0sXH1S6m4kSOmN7\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIBszCCAVmgAwIBAgIUe0sXH1S6m4kSOmN7\n-----END PUBLIC KEY-----",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "integrity: sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15==",
        "docker run -u 1000:1000 image",
        "\"secret\": \"/run/secrets/db_1\"",
        "public_key = \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ\"",
        "primary_key: id2, cacheKey: \"user:12345678\"",
        "Bearer authentication is required",
        "Basic authentication: use Basic Authentication2",
        "{\"review\": \"9f8e7d6c5b4a3210\", \"completed\": true}",
        "\x1b[31mred\x1b[0m text, no secret",
        "EXIT_SIGNAL: true\nSTATUS: COMPLETE",
        "let x: [u8; 4] = 密码;",
        "Token: expected `{`, found `}`",
        "type Secret2 = Password<Vec<u8>>;",
        "token: Sha256Digest",
        "def __init__(self, password=None):",
        "def __init__(self, password: bytes):",
        "self.passwd = password_mgr",
        "pub const WRONG_PASSWORD: status_t = BASE + 2;",
        "pub const SO_COOKIE: c_int = 57;",
        "self.headers[\"Cookie\"] = cookie_header",
        "proxy = scheme://[user:passwd@]proxy.server:port",
        "(?P<scheme>.*?)://(?P<public_key>.*?):(?P<secret_key>.*?)@(?P<host>.*?)",
        "core_token = r'(?:(?:(?:\\^[%s]?)?[^1%s%s])+)'",
        "headers['Authorization'] = authorization_header",
        "token: oauth_v2_handler,\nauth: oauth2provider,",
        "    token: Token2,\n    api_key: ApiKeyV2\n",
        "password: |\n  required words here\n",
        "- name: HOME_DIR\n  value: abc12345\n",
        "The password is required to be 8 characters long.",
        "    password: user.password2\n",
        "self.token = next_token2\n",
        "socks5h://<username>:<password>@proxy-host",
        "CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'",
        "{token: \"constant.language.boolean\", regex: \"x1\"}",
    ];
    for text in table {
        assert_eq!(hidden(text), text);
        assert!(matches!(redact(text, &Secrets::default()), Cow::Borrowed(_)));
    }
}

fn pem(prefix: &str) -> (Vec<String>, Vec<String>) {
    let body = [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
        "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
        "Qk9Yvg==",
    ];
    let body: Vec<String> = body.iter().map(|l| s(&[prefix, l])).collect();
    let begin = s(&[prefix, "-----BEGIN RSA PRIVATE", " KEY-----"]);
    let end = s(&[prefix, "-----END RSA PRIVATE", " KEY-----"]);
    ([vec![begin], body.clone(), vec![end]].concat(), body)
}

#[test]
fn private_keys_are_hidden_whole_and_cut() {
    for prefix in ["", "+", "-", " ", "> ", "  \"", "    ", "12\t"] {
        let (lines, body) = pem(prefix);
        for (from, to) in [(0, 5), (0, 4), (0, 3), (0, 2), (1, 5), (2, 5), (3, 5)] {
            let text = s(&["before\n", &lines[from..to].join("\n"), "\nafter words"]);
            let out = hidden(&text);
            let left = body.iter().any(|line| out.contains(line.trim_start_matches(prefix)));
            assert!(!left && out.contains(MARK), "{text}\nbecame\n{out}");
            assert_eq!(out.lines().count(), text.lines().count(), "{out}");
            assert!(out.starts_with("before\n") && out.ends_with("\nafter words"), "{out}");
        }
    }
    let (lines, body) = pem("");
    let escaped = s(&["\"key\": \"", &lines.join("\\n"), "\\n\", \"id\": 5"]);
    let out = hidden(&escaped);
    assert!(!body[..2].iter().any(|l| out.contains(l.as_str())), "{out}");
    assert!(out.ends_with("\", \"id\": 5"), "{out}");
}

#[test]
fn variables_give_their_values_when_they_are_secrets() {
    let key = "x9!\"q\\7 ü%k2";
    let two_lines = s(&[BODY, "\nsecond-line-42\n"]);
    let secrets = Secrets::from_variables([
        ("MY_API_TOKEN", key),
        ("DEPLOY_KEY", &two_lines),
        ("DATABASE_URL", "postgres://app:db-pass-99@host/x"),
        ("SSH_AUTH_SOCK", "/tmp/ssh-abc/agent.12"),
        ("POSTGRES_PASSWORD", "postgres"),
        ("FEATURE_TOKEN", "true"),
        ("MAX_THINKING_TOKENS", "31999"),
        ("PASSWORD_MIN", "12345678"),
        ("HOME", "/home/ab12cd34"),
        ("EDITOR", "vim-9.1-x"),
    ]);
    let text = s(&[
        key,
        "|x9!\\\"q\\\\7 ü%k2|x9%21%22q%5C7%20%C3%BC%25k2|x9%21%22q%5c7%20%c3%bc%25k2|+",
        BODY,
        "|-second-line-42|db-pass-99",
    ]);
    let out = redact(&text, &secrets).into_owned();
    assert_eq!(
        out,
        "[redacted]|[redacted]|[redacted]|[redacted]|+[redacted]|-[redacted]|[redacted]"
    );
    let ordinary = "/tmp/ssh-abc/agent.12 postgres true 31999 12345678 /home/ab12cd34 vim-9.1-x";
    assert_eq!(redact(ordinary, &secrets), ordinary);
    assert_eq!(format!("{secrets:?}"), "Secrets(7)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_is_redacted_once_and_keeps_its_lines(text in "([ -~]|[\n\t\x1b目é]|=|: |\"|password|token|sk-ant-|-----BEGIN PRIVATE KEY-----|://|\\.eyJ|%3D|--secret |[a-z0-9A-Z]{16,20}){0,30}") {
        let once = hidden(&text);
        prop_assert_eq!(hidden(&once), once.as_str());
        prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn words_alone_are_no_secrets(text in "([a-z]{1,12}[ ,.\n:=(){}\"]{1,2}){0,40}") {
        // A password in quotes may be a word.
        prop_assume!(!text.contains("xox") && !text.contains("pass") && !text.contains("pwd"));
        prop_assert_eq!(hidden(&text), text);
    }

    #[test]
    fn a_token_survives_nowhere(before in "[ -~目é\n]{0,60}", after in "[ -~目é\n]{0,40}", i in 0..34_usize) {
        let all = tokens();
        let (token, kept) = &all[i % all.len()];
        // What begins within a word is no token of the vaguer kinds.
        let before = if before.ends_with(|c: char| c.is_ascii_alphanumeric() || "_-\\%".contains(c)) { s(&[&before, " "]) } else { before };
        let out = hidden(&s(&[&before, token, &after]));
        prop_assert!(!out.contains(&token[kept.len()..]), "{}", out);
    }

    #[test]
    fn a_known_value_survives_nowhere(before in "[ -~目é\n]{0,60}", after in "[ -~目é\n]{0,40}", value in "[ -~]{6,30}[a-z][0-9][#!é]") {
        let secrets = Secrets::from_variables([("X_SECRET", value.as_str())]);
        let value = value.trim();
        prop_assume!(!value.starts_with('/') && !value.contains("://") && !value.contains("./") && !value.contains("~/") && !value.contains("-----"));
        let out = redact(&s(&[&before, value, &after]), &secrets).into_owned();
        prop_assert!(!out.contains(value), "{}", out);
        prop_assert_eq!(redact(&out, &secrets), out.as_str());
    }
}
