# Turns titles on standard input into parts of a link.
tr 'A-Z ' 'a-z-'
