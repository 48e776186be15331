# Turns titles on standard input into parts of a link.
sed 's/  / /' | tr 'A-Z ' 'a-z-'
