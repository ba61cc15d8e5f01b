@echo off
rem Runs the queries of this folder, and moves the files to IMPORT_FOLDER when all of them are complete.
rem Usage: export.cmd SERVER DATABASE FOLDER
setlocal
set work=%TEMP%\school-export
if exist "%work%" rmdir /s /q "%work%"
mkdir "%work%" || exit /b 1
for %%f in ("%~dp0*.sql") do (
  sqlcmd -S %1 -d %2 -E -b -r 1 -f 65001 -h -1 -W -w 65535 -s "," -i "%%f" -o "%work%\%%~nf.csv" || exit /b 1
)
move /y "%work%\*.csv" "%~3\" || exit /b 1
