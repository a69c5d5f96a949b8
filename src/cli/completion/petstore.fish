# Completions of petstore for fish: petstore completion fish | source
function __petstore_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (petstore __complete $words[2..] 2>/dev/null)
    # The name of the option in --data=some/path.
    set -l option (string match -r -- '^--[^=]+=' $words[-1])
    set -l path (string replace -- "$option" '' $words[-1])
    switch "$lines[1]"
        case :file
            string join \n -- "$option"(__fish_complete_path $path)
        case :directory
            string join \n -- "$option"(__fish_complete_directories $path)
        case '*'
            string join \n -- $lines
    end
end
complete -c petstore -f -a '(__petstore_complete)'
