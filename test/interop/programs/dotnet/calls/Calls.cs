using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.ServiceModel;
using System.Threading.Tasks;

/// <summary>Calls by .NET of today: through proxies of System.ServiceModel, or with HttpClient.</summary>
public static class Calls {
    /// <param name="arguments">
    /// The address of the service; SOAP11, SOAP12, GET or POST; for SOAP how messages are serialised, which is also what
    /// the namespaces of its proxies begin with; manners of calling.
    /// </param>
    public static void Main(string[] arguments) {
        var binding = arguments[1];
        if (binding.StartsWith("SOAP")) {
            var caller = new WcfCaller(arguments[0], binding == "SOAP12", Contracts(arguments[2]), arguments.Skip(3).ToHashSet());
            CallLoop.Run(caller.Call, WcfCaller.Describe);
        } else {
            var caller = new HttpClientCaller(arguments[0], binding, Contracts("XmlSerializer"), arguments.Skip(2).ToHashSet());
            CallLoop.Run(caller.Call, HttpClientCaller.Describe);
        }
    }

    /// <summary>The generated interfaces whose namespaces begin so.</summary>
    static List<Type> Contracts(string space) {
        return typeof(Calls).Assembly.GetTypes()
            .Where(type => type.GetCustomAttribute<ServiceContractAttribute>() != null && type.Namespace.StartsWith(space + "."))
            .ToList();
    }
}
