# What the fuzzers of parts start from; read by run and oss-fuzz/build.sh.

# The name of a part's dictionary in Dictionaries; not every one exists.
dictionary() {
    case $1 in
    kernels) echo png ;;
    encode-again | surgery) echo jpeg ;;
    prefix-codes) echo vp8l ;;
    *) echo "${1%%-*}" ;;
    esac
}
