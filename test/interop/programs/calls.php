<?php
/**
 * Calls with PHP's SoapClient, over one version of SOAP.
 *
 * One call per line of standard input, one outcome per line of standard output. Fields are separated by tabs. A text
 * is "=" and its percent-encoded UTF-8, null is "-". Arguments: the address of the service, the version of SOAP, 1.1
 * or 1.2, and the addresses of the descriptions.
 */
declare(strict_types=1);

const FIELDS = ['id_student', 'fullName', 'id_device', 'ShowActive'];

[, $address, $version] = $argv;
/** The client of each operation, and the types of its parameters by name. */
$operations = [];
foreach (array_slice($argv, 3) as $description) {
    $client = new SoapClient($description, [
        'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
        'cache_wsdl' => WSDL_CACHE_NONE,
        'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
        'location' => $address . parse_url($description, PHP_URL_PATH),
    ]);
    foreach ($client->__getTypes() as $type) {
        if (preg_match('/^struct (\w+) \{(.*)\}$/s', $type, $struct) !== 1) continue;
        preg_match_all('/(\w+) (\w+);/', $struct[2], $members);
        $operations[$struct[1]] = [$client, array_combine($members[2], $members[1])];
    }
}

while (($line = fgets(STDIN)) !== false) {
    [$operation, $texts] = read_call(rtrim($line, "\n"));
    [$client, $parameters] = $operations[$operation];
    try {
        write_fields(...outcome($client->__soapCall($operation, [arguments($parameters, $texts)]), "{$operation}Result"));
    } catch (SoapFault $fault) {
        $code = isset($fault->faultcodens) ? "{{$fault->faultcodens}}" . preg_replace('/.*:/', '', $fault->faultcode) : $fault->faultcode;
        write_fields('fault', get_class($fault), $code, $fault->getMessage(), detail($fault));
    }
}

function read_call(string $line): array
{
    $fields = explode("\t", $line);
    $read = fn(string $field) => $field === '-' ? null : rawurldecode(substr($field, 1));
    return [$fields[0], array_map($read, array_slice($fields, 1))];
}

/** What is null is left out; a character goes as its number, as its type says. */
function arguments(array $parameters, array $texts): array
{
    $arguments = [];
    foreach (array_keys($parameters) as $index => $name) {
        if ($texts[$index] === null) continue;
        $arguments[$name] = $parameters[$name] === 'char' ? unpack('N', iconv('UTF-8', 'UCS-4BE', $texts[$index]))[1] : $texts[$index];
    }
    return $arguments;
}

function outcome(mixed $answer, string $result): array
{
    if (!isset($answer->$result)) return ['nothing'];
    if (is_string($answer->$result)) return ['text', $answer->$result];
    $fields = ['students'];
    foreach ($answer->$result->StudentInfo ?? [] as $student) {
        foreach (FIELDS as $name) $fields[] = $student->$name ?? null;
    }
    return $fields;
}

function detail(SoapFault $fault): ?string
{
    if (!isset($fault->detail)) return null;
    return is_string($fault->detail) ? $fault->detail : json_encode($fault->detail);
}

function write_fields(string $kind, ?string ...$texts): void
{
    $write = fn(?string $text) => $text === null ? '-' : '=' . rawurlencode($text);
    echo implode("\t", [$kind, ...array_map($write, $texts)]), "\n";
}
