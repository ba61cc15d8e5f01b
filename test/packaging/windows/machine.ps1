# Stands in for Windows where install.ps1 runs on Linux: its services and its firewall are files in $env:MACHINE.

function Get-Service {
    [CmdletBinding()] param([string] $Name)
    if (Test-Path "$env:MACHINE/service") { Get-Item "$env:MACHINE/service" }
    else { Write-Error "Cannot find any service with service name '$Name'." }
}

# Starts the service as WinSW's definition says, and waits until it is ready.
function Start-Service {
    [CmdletBinding()] param([string] $Name)
    $base = Join-Path $env:ProgramFiles $Name
    [xml] $definition = Get-Content -Raw "$base/$Name.xml"
    $expand = {
        param([string] $Text)
        $Text.Replace('%BASE%', $base).Replace('%ProgramData%', $env:ProgramData).Replace('\', '/')
    }
    foreach ($variable in $definition.service.env) {
        [Environment]::SetEnvironmentVariable($variable.name, (& $expand $variable.value))
    }
    $program = "'$(& $expand $definition.service.executable)' $(& $expand $definition.service.arguments)"
    Push-Location (& $expand $definition.service.workingdirectory)
    $id = & setsid bash -c ('exec {0} >"$MACHINE/log" 2>"$MACHINE/errors" </dev/null & echo $!' -f $program)
    Pop-Location
    Set-Content "$env:MACHINE/pid" $id
    while (Test-Path "/proc/$id/exe") {
        & curl -fs -o /dev/null "http://127.0.0.1:$env:PORT/readyz"
        if ($LASTEXITCODE -eq 0) { return }
        Start-Sleep -Milliseconds 100
    }
    throw "Failed to start service '$Name'."
}

function Stop-Service {
    [CmdletBinding()] param([string] $Name)
    $id = Get-Content "$env:MACHINE/pid"
    & bash -c "kill $id"
    while (Test-Path "/proc/$id/exe") { Start-Sleep -Milliseconds 100 }
}

function New-NetFirewallRule {
    [CmdletBinding()]
    param($Name, $DisplayName, $Direction, $Action, $Protocol, $LocalPort, $Program)
    Set-Content "$env:MACHINE/firewall" "$Direction $Action $Protocol $LocalPort $Program"
}

function Get-NetFirewallRule {
    [CmdletBinding()] param([string] $Name)
    if (Test-Path "$env:MACHINE/firewall") { Get-Item "$env:MACHINE/firewall" }
    else { Write-Error "No rule is named '$Name'." }
}

function Remove-NetFirewallRule {
    [CmdletBinding()] param([Parameter(ValueFromPipeline)] $Rule)
    process { Remove-Item -LiteralPath $Rule }
}
