using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.ServiceModel;
using System.Threading.Tasks;

/// <summary>Calls through generated clients.</summary>
public sealed class WcfCaller {
    readonly Dictionary<string, object> clients = new Dictionary<string, object>();
    readonly bool asynchronous;

    /// <param name="contracts">The generated interfaces.</param>
    /// <param name="manners">"asynchronous" and "chunked", or none.</param>
    public WcfCaller(string address, bool soap12, IEnumerable<Type> contracts, ISet<string> manners) {
        asynchronous = manners.Contains("asynchronous");
        foreach (var contract in contracts) {
            var service = contract.Namespace.Split('.').Last();
            var type = contract.Assembly.GetType(contract.FullName + "Client");
            var mode = manners.Contains("chunked") ? TransferMode.StreamedRequest : TransferMode.Buffered;
            var endpoint = new EndpointAddress($"{address}/{service}.asmx");
            var client = Activator.CreateInstance(type, soap12 ? Bindings.Soap12(mode) : Bindings.Soap11(mode), endpoint);
            foreach (var name in Operations(contract)) clients.Add(name, client);
        }
    }

    public object Call(string operation, string[] texts) {
        var client = clients[operation];
        var method = client.GetType().GetMethod(asynchronous ? operation + "Async" : operation);
        var values = method.GetParameters().Select((parameter, index) => Value(texts[index], parameter.ParameterType)).ToArray();
        // The exceptions of the client are to be seen as its callers see them.
        var result = method.Invoke(client, BindingFlags.DoNotWrapExceptions, null, values, null);
        return result is Task task ? ReadTask(task, method.ReturnType) : Read(result, method.ReturnType);
    }

    public static Fault Describe(Exception exception) {
        var fault = exception as FaultException;
        if (fault == null) return null;
        var message = fault.CreateMessageFault();
        var detail = message.HasDetail ? message.GetReaderAtDetailContents().ReadOuterXml() : null;
        return new Fault(fault, $"{{{fault.Code.Namespace}}}{fault.Code.Name}", detail);
    }

    static IEnumerable<string> Operations(Type contract) {
        return contract.GetMethods().Select(method => method.Name).Where(name => !name.EndsWith("Async"));
    }

    static object Value(string text, Type type) {
        return type == typeof(char) ? text.Single() : text;
    }

    /// <summary>What an asynchronous method answers: nothing, the result, or a message whose body may have one.</summary>
    static object ReadTask(Task task, Type type) {
        task.GetAwaiter().GetResult();
        if (type == typeof(Task)) return CallLoop.Nothing;
        var answer = type.GetProperty("Result").GetValue(task);
        var body = answer?.GetType().GetField("Body")?.GetValue(answer);
        if (body == null) return Read(answer, type);
        var result = body.GetType().GetProperties().SingleOrDefault(property => property.Name != "ExtensionData");
        return result == null ? CallLoop.Nothing : Read(result.GetValue(body), result.PropertyType);
    }

    static object Read(object result, Type type) {
        if (type == typeof(void)) return CallLoop.Nothing;
        return result is object[] records ? records.Select(Fields).ToArray() : result;
    }

    static string[] Fields(object record) {
        return record.GetType().GetProperties()
            .Where(property => property.PropertyType == typeof(string))
            .Select(property => (string)property.GetValue(record))
            .ToArray();
    }
}
