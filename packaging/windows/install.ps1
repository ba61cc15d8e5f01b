<#
.SYNOPSIS
Installs, upgrades or removes the student notification service.

.DESCRIPTION
Run it as an administrator. Settings, data and logs are in %ProgramData%\school-notifications: an upgrade and a removal keep
them, unless -Purge is given. The service runs under its own virtual account, which can write to data and logs only.

.EXAMPLE
.\install.ps1 Install -Wrapper WinSW-x64.exe

From the unpacked archive, which contains the program and Node.js.

.EXAMPLE
.\install.ps1 Install -Package school-notifications-1.0.0.tgz -Wrapper WinSW-x64.exe

.EXAMPLE
.\install.ps1 Upgrade -Package school-notifications-1.1.0.tgz

.EXAMPLE
.\install.ps1 Remove -Purge
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory, Position = 0)]
    [ValidateSet('Install', 'Upgrade', 'Remove')]
    [string] $Action,

    # The file that npm pack writes; default: the program beside this script.
    [string] $Package,

    # The program of WinSW 2.12.
    [string] $Wrapper,

    # Port to open for other machines if IIS is not in front; default: none.
    [int] $OpenPort = 0,

    # Deletes settings, data and logs on removal.
    [switch] $Purge
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$name = 'school-notifications'
$account = "NT SERVICE\$name"
$program = Join-Path $env:ProgramFiles $name
$state = Join-Path $env:ProgramData $name
$service = Join-Path $program "$name.exe"

function Invoke-Program([string] $Path, [string[]] $Arguments) {
    & $Path @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$Path $Arguments failed with exit code $LASTEXITCODE." }
}

# Puts program, dependencies and Node.js into a new folder beside the current one: those beside this script, or the
# package with this machine's Node.js.
function New-Program([string] $Folder) {
    $unpacked = 'node_modules', 'node.exe' | ForEach-Object { Join-Path $PSScriptRoot $_ }
    if (-not $Package -and (Test-Path -LiteralPath $unpacked[0])) {
        if (Test-Path -LiteralPath $Folder) { Remove-Item -LiteralPath $Folder -Recurse -Force }
        New-Item -ItemType Directory -Path $Folder -Force | Out-Null
        Copy-Item -LiteralPath $unpacked -Destination $Folder -Recurse
        return
    }
    if (-not (Test-Path -LiteralPath $Package -PathType Leaf)) { throw "-Package: there is no file '$Package'." }
    if (Test-Path -LiteralPath $Folder) { Remove-Item -LiteralPath $Folder -Recurse -Force }
    New-Item -ItemType Directory -Path $Folder -Force | Out-Null
    $file = (Resolve-Path -LiteralPath $Package).ProviderPath
    Invoke-Program 'npm.cmd' @('install', '--omit=dev', '--no-fund', '--no-audit', '--prefix', $Folder, $file)
    Copy-Item -LiteralPath (Get-Command node.exe).Source -Destination (Join-Path $Folder 'node.exe')
}

# Replaces the program. Windows cannot replace an open file, so the service must be stopped.
function Switch-Program([string] $From) {
    foreach ($item in 'node_modules', 'node.exe') {
        $current = Join-Path $program $item
        $previous = "$current.previous"
        if (Test-Path -LiteralPath $previous) { Remove-Item -LiteralPath $previous -Recurse -Force }
        if (Test-Path -LiteralPath $current) { Move-Item -LiteralPath $current -Destination $previous }
        Move-Item -LiteralPath (Join-Path $From $item) -Destination $current
    }
    Remove-Item -LiteralPath $From -Recurse -Force
    $files = Join-Path $program "node_modules\$name\packaging\windows"
    Copy-Item -Path (Join-Path $files "$name.xml"), (Join-Path $files "$name.cmd") -Destination $program -Force
}

function Restore-Program {
    foreach ($item in 'node_modules', 'node.exe') {
        $current = Join-Path $program $item
        Remove-Item -LiteralPath $current -Recurse -Force
        Move-Item -LiteralPath "$current.previous" -Destination $current
    }
}

# Grants rights to SYSTEM, to administrators (by SID, because names are localized), and to the service.
function Set-Right([string] $Folder, [string] $Right) {
    Invoke-Program 'icacls.exe' @($Folder, '/inheritance:r', '/grant:r', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F',
        "${account}:(OI)(CI)$Right")
}

function Install-Service {
    if (Get-Service -Name $name -ErrorAction SilentlyContinue) { throw 'The service is installed already. Use Upgrade.' }
    if (-not (Test-Path -LiteralPath $Wrapper -PathType Leaf)) { throw "-Wrapper: there is no file '$Wrapper'." }
    $next = Join-Path $program 'next'
    New-Program $next
    Switch-Program $next
    Copy-Item -LiteralPath $Wrapper -Destination $service -Force
    New-Item -ItemType Directory -Path (Join-Path $state 'data'), (Join-Path $state 'logs') -Force | Out-Null
    $settings = Join-Path $state 'settings.env'
    if (-not (Test-Path -LiteralPath $settings)) {
        Copy-Item -LiteralPath (Join-Path $program "node_modules\$name\packaging\windows\settings.env") -Destination $settings
    }
    Invoke-Program $service @('install')
    # A virtual account has no password, and exists once its service does.
    Invoke-Program 'sc.exe' @('config', $name, 'obj=', $account)
    Invoke-Program 'sc.exe' @('sidtype', $name, 'unrestricted')
    Set-Right $state 'RX'
    Set-Right (Join-Path $state 'data') 'M'
    Set-Right (Join-Path $state 'logs') 'M'
    if ($OpenPort -gt 0) {
        New-NetFirewallRule -Name $name -DisplayName 'Student notification service' -Direction Inbound -Action Allow `
            -Protocol TCP -LocalPort $OpenPort -Program (Join-Path $program 'node.exe') | Out-Null
    }
    Start-Service -Name $name
}

function Update-Service {
    $next = Join-Path $program 'next'
    New-Program $next
    Stop-Service -Name $name
    Switch-Program $next
    try {
        Start-Service -Name $name
    } catch {
        Restore-Program
        Start-Service -Name $name
        throw
    }
}

function Uninstall-Service {
    Stop-Service -Name $name
    Invoke-Program $service @('uninstall')
    Get-NetFirewallRule -Name $name -ErrorAction SilentlyContinue | Remove-NetFirewallRule
    Remove-Item -LiteralPath $program -Recurse -Force
    if ($Purge) { Remove-Item -LiteralPath $state -Recurse -Force }
}

switch ($Action) {
    'Install' { Install-Service }
    'Upgrade' { Update-Service }
    'Remove' { Uninstall-Service }
}
