# What the fuzzers of parts start from; read by run and oss-fuzz/build.sh.

# The folder of Tests/Fixtures, and of ../shared/conformance, in which seeds of a part lie; empty where none are files.
seed_folder() {
    case $1 in
    png-units | inflate | kernels) echo png ;;
    gif-units | lzw) echo gif ;;
    *-units) echo "${1%-units}" ;;
    vp8l | prefix-codes) echo webp/lossless ;;
    vp8) echo webp/lossy ;;
    esac
}

# The name of a part's dictionary in Dictionaries; not every one exists.
dictionary() {
    case $1 in
    kernels) echo png ;;
    prefix-codes) echo vp8l ;;
    *) echo "${1%%-*}" ;;
    esac
}
