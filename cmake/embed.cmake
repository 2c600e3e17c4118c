# cmake -DINPUT=file -DOUTPUT=file.cc -DNAME=kName -P embed.cmake
# Writes a source that defines syncline::NAME, a string view of the file's bytes.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
string(REGEX REPLACE "('[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*',)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}
  "#include <string_view>\n"
  "namespace syncline {\n"
  "static const char ${NAME}Bytes[] = {\n${bytes}};\n"
  "extern const std::string_view ${NAME}(${NAME}Bytes, sizeof ${NAME}Bytes);\n"
  "}\n")
