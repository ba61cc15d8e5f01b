"""Sends values of all types to Types.asmx with zeep, whose operations give back what they get.

One line per check on standard output: "passed" or "failed", what was tried, and why it failed, separated by tabs.
Arguments: the address of Types.asmx, and the version of SOAP, 1.1 or 1.2.
"""

import sys
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

from zeep import Client, Settings, Transport
from zeep.helpers import serialize_object

ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"

MOMENT = datetime(2026, 11, 22, 8, 30, 0, 123456)
GUID = "01234567-89ab-cdef-0123-456789abcdef"
ENTRY = {
    "subject": "Türkçe <&> ",
    "date": MOMENT,
    "minutes": 40,
    "weight": Decimal("0.10"),
    "oral": True,
    "grade": "Middle",
    "average": 1.5,
    "number": -3,
}


def full_exam(entries):
    return {
        "id": "E-1",
        "key": GUID,
        "entries": {"Entry": [ENTRY] * entries},
        "tags": {"string": ["a", "b"]},
        "paper": bytes([0, 1, 254, 255]),
        "main": ENTRY,
        "total": 2**63 - 1,
        "ratio": 0.5,
        "closed": MOMENT.replace(tzinfo=timezone.utc),
    }


class OwnSchema(Transport):
    """Lists over GET and POST build on the schema of SOAP's encoding, which zeep would fetch."""

    def load(self, url):
        return Path(__file__).with_name("soap-encoding.xsd").read_bytes() if url == ENCODING else super().load(url)


def main(address, version):
    client = Client(address + "?WSDL", transport=OwnSchema(), settings=Settings(xml_huge_tree=True))
    port = client.wsdl.services["Types"].ports["TypesSoap12" if version == "1.2" else "TypesSoap"]
    proxy = client.create_service(port.binding.name, address)
    # zeep writes infinities as no schema has them, leaves None out of lists, and sends no record with nothing set.
    same("int", proxy.EchoInt, 0, -1, -(2**31), 2**31 - 1)
    same("long", proxy.EchoLong, 0, -(2**63), 2**63 - 1)
    same("short", proxy.EchoShort, 0, -(2**15), 2**15 - 1)
    same("unsignedByte", proxy.EchoByte, 0, 255)
    same("boolean", proxy.EchoBool, True, False)
    same("decimal", proxy.EchoDecimal, Decimal("0.10"), Decimal("-1.5"), Decimal(2**96 - 1), Decimal(1).scaleb(-28))
    same("double", proxy.EchoDouble, 0.1, -1.5e-7, 1e21, sys.float_info.max, 5e-324)
    same("float", proxy.EchoFloat, 0.5, -1.5, 1e10)
    same("dateTime", proxy.EchoDateTime, MOMENT, MOMENT.replace(tzinfo=timezone.utc), datetime(1, 1, 1))
    same("guid", proxy.EchoGuid, GUID, "00000000-0000-0000-0000-000000000000")
    same("char", proxy.EchoChar, ord("A"), ord("ş"), 0xFFFD)
    same("enumeration", proxy.EchoGrade, "Low", "Middle", "High")
    same("base64Binary", proxy.EchoBytes, bytes([0, 1, 254, 255]), bytes(100_000))
    same("list of strings", proxy.EchoStrings, ["a"], ["x"] * 1000, wrapped="string")
    same("list of int", proxy.EchoInts, [7], list(range(-500, 500)), wrapped="int")
    same("nullable int", proxy.EchoMaybe, None, 0, -5)
    same("record with everything set", proxy.EchoEntry, ENTRY)
    for count in (1, 2, 1000):
        same(f"record with a list of {count}", proxy.EchoExam, full_exam(count))
        check(f"a record made by the service, with a list of {count}", count,
              lambda count=count: len(proxy.GetExam(count).entries.Entry))
    for count in (1, 30):
        check(f"a list of {count} records", count, lambda count=count: len(proxy.GetExams(count)))
    check("nothing", None, lambda: proxy.Nothing(1, True))


def same(what, echo, *values, wrapped=None):
    for value in values:
        sent = value if wrapped is None else {wrapped: value}
        check(f"{what} {repr(value)[:60]}", value, lambda sent=sent: echo(v=sent))


def check(what, expected, call):
    try:
        actual = serialize_object(call(), target_cls=dict)
        failure = None if actual == expected else f"{actual!r} instead of {expected!r}"
    except Exception as error:  # Whatever zeep says is the verdict.
        failure = repr(error)
    line = ["passed", what] if failure is None else ["failed", what, failure]
    print("\t".join(" ".join(text.split()) for text in line), flush=True)


main(*sys.argv[1:])
