@echo off
rem A command of the service, with its settings. Run it as an administrator.
setlocal
set "SETTINGS_FILE=%ProgramData%\school-notifications\settings.env"
rem Unpacked and not installed, the settings are beside this file.
if not exist "%SETTINGS_FILE%" if exist "%~dp0settings.env" set "SETTINGS_FILE=%~dp0settings.env"
"%~dp0node.exe" "%~dp0node_modules\school-notifications\dist\main.js" %*
exit /b %ERRORLEVEL%
