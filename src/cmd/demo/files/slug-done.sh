# Turns titles on standard input into parts of a link.
tr -s ' ' | tr 'A-Z ' 'a-z-'
