"""Calls with zeep, over one version of SOAP.

One call per line of standard input, one outcome per line of standard output. Fields are separated by tabs. A text is
"=" and its percent-encoded UTF-8, null is "-". Arguments: the address of the service, the version of SOAP, 1.1 or 1.2,
and the addresses of the descriptions.
"""

import sys
from urllib.parse import quote, unquote, urlsplit

from lxml import etree
from zeep import Client
from zeep.exceptions import Error, Fault

FIELDS = ["id_student", "fullName", "id_device", "ShowActive"]


def main(address, version, *descriptions):
    operations = {}
    for description in descriptions:
        client = Client(description)
        for service in client.wsdl.services.values():
            port = service.ports[service.name + ("Soap12" if version == "1.2" else "Soap")]
            proxy = client.create_service(port.binding.name, address + urlsplit(description).path)
            for name, operation in port.binding.all().items():
                operations[name] = (getattr(proxy, name), operation)
    for line in sys.stdin:
        name, *fields = line.rstrip("\n").split("\t")
        print("\t".join(outcome(*operations[name], [read(field) for field in fields])), flush=True)


def outcome(call, operation, texts):
    try:
        answer = call(**arguments(operation.input.body.type.elements, texts))
        return result(answer, operation.output.body.type.elements)
    except Fault as fault:
        return ["fault", *map(write, [type_name(fault), fault.code, fault.message, detail(fault)])]
    except Error as error:
        return ["broken", *map(write, [type_name(error), str(error), repr(error)])]


def arguments(parameters, texts):
    """What is None is left out; a character goes as its number, as its type says."""
    values = {}
    for (name, element), text in zip(parameters, texts):
        if text is not None:
            values[name] = ord(text) if element.type.name == "char" else text
    return values


def result(answer, results):
    """The outcome of a call whose answer has these elements; zeep takes an element without content for None."""
    if not results:
        return ["nothing"] if answer is None else ["broken", write("a result where there is none")]
    if results[0][1].type.name == "string":
        return ["text", write(answer or "")]
    return ["students", *(write(student[field] or "") for student in answer or [] for field in FIELDS)]


def detail(fault):
    """The content of the detail; zeep has the element of SOAP 1.2 inside itself."""
    if fault.detail is None:
        return None
    return (fault.detail.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in fault.detail)


def type_name(error):
    return f"{type(error).__module__}.{type(error).__name__}"


def read(field):
    return None if field == "-" else unquote(field[1:])


def write(text):
    return "-" if text is None else "=" + quote(text, safe="")


main(*sys.argv[1:])
