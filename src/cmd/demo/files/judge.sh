# The supervisor of the demo. It is called as any judge `command`: the review prompt comes on
# standard input, the project is the current directory, and the verdict goes to standard output.
cat >../prompt
token=$(sed -n 's/.*"review": "\([0-9a-f]*\)".*/\1/p' ../prompt)
if sh test.sh >../test-output 2>&1; then
  completed=true feedback=
else
  completed=false
  said=$(tail -n 1 ../test-output)
  feedback="\`sh test.sh\` fails: ${said#FAIL: }. You said that all tests pass, but you did not run them."
  feedback="$feedback In slug.sh, squeeze every run of spaces to one before it becomes a dash; then run \`sh test.sh\` and see it pass."
fi
printf '{"review": "%s", "completed": %s, "feedback": "%s"}\n' "$token" "$completed" "$feedback"
