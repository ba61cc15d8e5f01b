using System;
using System.Linq;
using System.Web.Services;
using System.Web.Services.Description;
using System.Xml;

/// <summary>
/// Reads the service description at an address and writes what WS-I Basic Profile 1.1 has against it: nothing, or
/// one line per violation.
/// </summary>
public static class CheckConformance {
    public static int Main(string[] arguments) {
        var violations = new BasicProfileViolationCollection();
        using (var reader = XmlReader.Create(arguments[0])) {
            var description = ServiceDescription.Read(reader);
            var conforms = WebServicesInteroperability.CheckConformance(WsiProfiles.BasicProfile1_1, description, violations);
            foreach (BasicProfileViolation violation in violations) {
                var places = string.Join("; ", violation.Elements.Cast<string>());
                Console.WriteLine("{0}: {1} ({2})", violation.NormativeStatement, violation.Details, places);
            }
            return conforms ? 0 : 1;
        }
    }
}
