@echo off
rem A command of the service, with its settings. Run it as an administrator.
setlocal
set "SETTINGS_FILE=%ProgramData%\school-notifications\settings.env"
"%~dp0node.exe" "%~dp0node_modules\school-notifications\dist\main.js" %*
exit /b %ERRORLEVEL%
