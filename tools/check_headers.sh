#!/usr/bin/env bash
# Each public header alone, as C11 and as C++17, must compile without a warning. $CC and $CXX choose the
# compilers.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../include" || exit 1
strict=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I.)
failed=0
for header in clary.h clary/*.h; do
    for language in c c++; do
        case $language in
        c) compiler=("${CC:-cc}" -std=c11) ;;
        c++) compiler=("${CXX:-c++}" -std=c++17) ;;
        esac
        printf '#include "%s"\nint main(void) { return 0; }\n' "$header" |
            "${compiler[@]}" "${strict[@]}" -x "$language" - || {
            printf '%s does not compile alone as %s\n' "$header" "$language" >&2
            failed=1
        }
    done
done
exit "$failed"
