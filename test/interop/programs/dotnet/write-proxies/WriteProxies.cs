using System;
using System.CodeDom;
using System.CodeDom.Compiler;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Serialization;
using System.Xml;
using System.Xml.Schema;
using Microsoft.CSharp;

/// <summary>
/// Writes proxies of the shape that dotnet-svcutil gives them, from service descriptions: for each port type of SOAP
/// an interface and a client with synchronous and asynchronous methods, in a namespace named after the service. The
/// types are those that .NET's own importer of data contracts makes of the schemas.
/// </summary>
public static class WriteProxies {
    const string Wsdl = "http://schemas.xmlsoap.org/wsdl/";
    const string WsdlSoap = "http://schemas.xmlsoap.org/wsdl/soap/";
    const string Types = "Types";
    static readonly CSharpCodeProvider Provider = new CSharpCodeProvider();

    /// <param name="arguments">
    /// How messages are serialised, DataContract or XmlSerializer, which also begins the namespaces; the folder to write
    /// into; addresses of descriptions.
    /// </param>
    public static void Main(string[] arguments) {
        foreach (var address in arguments.Skip(2)) {
            var description = new XmlDocument();
            description.Load(address);
            var names = new XmlNamespaceManager(description.NameTable);
            names.AddNamespace("w", Wsdl);
            names.AddNamespace("soap", WsdlSoap);
            names.AddNamespace("s", XmlSchema.Namespace);
            var service = description.SelectSingleNode("//w:service/@name", names).Value;
            using (var file = File.CreateText(Path.Combine(arguments[1], $"{arguments[0]}.{service}.cs"))) {
                Write(description, names, arguments[0], $"{arguments[0]}.{service}", file);
            }
        }
    }

    static void Write(XmlDocument description, XmlNamespaceManager names, string serializer, string space, TextWriter file) {
        var types = Import(description, names, $"{space}.{Types}");
        var target = description.DocumentElement.GetAttribute("targetNamespace");
        var binding = description.SelectSingleNode("//w:binding[soap:binding]", names);
        var port = binding.Attributes["name"].Value;
        var operations = binding.SelectNodes("w:operation", names).Cast<XmlElement>().Select(operation => new Operation {
            Name = operation.GetAttribute("name"),
            Action = operation.SelectSingleNode("soap:operation/@soapAction", names).Value,
            Parameters = Properties(types, operation.GetAttribute("name")),
            Result = Properties(types, operation.GetAttribute("name") + "Response").SingleOrDefault(),
        }).ToList();
        var isData = serializer == "DataContract";
        if (isData) Provider.GenerateCodeFromCompileUnit(types, file, new CodeGeneratorOptions());
        file.WriteLine($"namespace {space} {{");
        file.WriteLine("using System.ServiceModel; using System.ServiceModel.Channels; using System.Threading.Tasks;");
        foreach (var operation in operations) {
            if (isData) WriteMessages(operation, target, file);
        }
        file.WriteLine($"[ServiceContract(Namespace=\"{target}\", ConfigurationName=\"{space}.{port}\")] public interface {port} {{");
        foreach (var operation in operations) WriteContract(operation, isData, file);
        file.WriteLine("}");
        file.WriteLine($"public partial class {port}Client : ClientBase<{port}>, {port} {{");
        file.WriteLine($"public {port}Client(Binding binding, EndpointAddress address) : base(binding, address) {{}}");
        WriteConfigurations(description, names, port, file);
        foreach (var operation in operations) {
            if (isData) WriteDataMethods(operation, port, file);
            else WriteXmlMethods(operation, file);
        }
        file.WriteLine("}}");
        if (!isData) WriteXmlTypes(types, operations, target, file);
    }

    static CodeCompileUnit Import(XmlDocument description, XmlNamespaceManager names, string space) {
        var schemas = new XmlSchemaSet();
        foreach (XmlNode schema in description.SelectNodes("//w:types/s:schema", names)) {
            schemas.Add(XmlSchema.Read(new XmlNodeReader(schema), (_, problem) => throw problem.Exception));
        }
        var importer = new XsdDataContractImporter { Options = new ImportOptions() };
        importer.Options.Namespaces["*"] = space;
        importer.Import(schemas);
        return importer.CodeCompileUnit;
    }

    static IEnumerable<CodeTypeDeclaration> Declarations(CodeCompileUnit types) {
        return types.Namespaces.Cast<CodeNamespace>().SelectMany(space => space.Types.Cast<CodeTypeDeclaration>());
    }

    static List<Property> Properties(CodeCompileUnit types, string type) {
        return Declarations(types).Single(declaration => declaration.Name == type).Members
            .OfType<CodeMemberProperty>()
            .Where(property => property.Name != "ExtensionData")
            .Select(property => new Property { Name = property.Name, Type = Provider.GetTypeOutput(property.Type) })
            .ToList();
    }

    static void WriteMessages(Operation operation, string target, TextWriter file) {
        foreach (var (message, element) in new[] { ("Request", operation.Name), ("Response", operation.Name + "Response") }) {
            file.WriteLine($"[MessageContract(IsWrapped=false)] public partial class {operation.Name}{message} {{");
            file.WriteLine($"[MessageBodyMember(Name=\"{element}\", Namespace=\"{target}\", Order=0)] public {Types}.{element} Body;");
            file.WriteLine("}");
        }
    }

    static void WriteContract(Operation operation, bool isData, TextWriter file) {
        var attributes = $"[OperationContract(Action=\"{operation.Action}\", ReplyAction=\"*\")]";
        if (!isData) attributes += "[XmlSerializerFormat(SupportFaults=true)]";
        var answer = isData ? operation.Name + "Response" : operation.ResultType;
        var parameters = isData ? $"{operation.Name}Request request" : operation.Declared;
        file.WriteLine($"{attributes} {answer} {operation.Name}({parameters});");
        file.WriteLine($"{attributes} {TaskOf(answer)} {operation.Name}Async({parameters});");
    }

    /// <summary>A client that is opened by the name of its port has the address of the description.</summary>
    static void WriteConfigurations(XmlDocument description, XmlNamespaceManager names, string port, TextWriter file) {
        var address = description.SelectSingleNode($"//w:port[@name='{port}']/soap:address/@location", names).Value;
        file.WriteLine($"public enum EndpointConfiguration {{ {port}, {port}12 }}");
        file.WriteLine($"public {port}Client(EndpointConfiguration configuration) : base(");
        file.WriteLine($"configuration == EndpointConfiguration.{port} ? Bindings.Soap11() : Bindings.Soap12(), new EndpointAddress(\"{address}\")) {{}}");
    }

    static void WriteDataMethods(Operation operation, string port, TextWriter file) {
        var name = operation.Name;
        var values = string.Join(", ", operation.Parameters.Select(parameter => $"{parameter.Name} = {parameter.Name}"));
        var request = $"new {name}Request {{ Body = new {Types}.{name} {{ {values} }} }}";
        var take = operation.Result == null ? "" : $"return answer.Body.{operation.Result.Name};";
        file.WriteLine($"{name}Response {port}.{name}({name}Request request) => Channel.{name}(request);");
        file.WriteLine($"Task<{name}Response> {port}.{name}Async({name}Request request) => Channel.{name}Async(request);");
        file.WriteLine($"public {operation.ResultType} {name}({operation.Declared}) {{ var answer = Channel.{name}({request}); {take} }}");
        file.WriteLine($"public Task<{name}Response> {name}Async({operation.Declared}) => Channel.{name}Async({request});");
    }

    static void WriteXmlMethods(Operation operation, TextWriter file) {
        var values = string.Join(", ", operation.Parameters.Select(parameter => parameter.Name));
        file.WriteLine($"public {operation.ResultType} {operation.Name}({operation.Declared}) => Channel.{operation.Name}({values});");
        file.WriteLine($"public {TaskOf(operation.ResultType)} {operation.Name}Async({operation.Declared}) => Channel.{operation.Name}Async({values});");
    }

    /// <summary>The types that are no message, for the serialiser of XML.</summary>
    static void WriteXmlTypes(CodeCompileUnit types, List<Operation> operations, string target, TextWriter file) {
        var messages = operations.SelectMany(operation => new[] { operation.Name, operation.Name + "Response" }).ToHashSet();
        foreach (CodeNamespace space in types.Namespaces) {
            foreach (var type in space.Types.Cast<CodeTypeDeclaration>().Where(type => !messages.Contains(type.Name))) {
                file.WriteLine($"namespace {space.Name} {{");
                file.WriteLine($"[System.Xml.Serialization.XmlType(Namespace=\"{target}\")] public partial class {type.Name} {{");
                var order = 0;
                foreach (var property in Properties(types, type.Name)) {
                    file.WriteLine($"[System.Xml.Serialization.XmlElement(Order={order++})] public {property.Type} {property.Name} {{ get; set; }}");
                }
                file.WriteLine("}}");
            }
        }
    }

    static string TaskOf(string type) {
        return type == "void" ? "Task" : $"Task<{type}>";
    }

    sealed class Property {
        public string Name, Type;
    }

    sealed class Operation {
        public string Name, Action;
        public List<Property> Parameters;
        public Property Result;

        public string ResultType => Result == null ? "void" : Result.Type;

        public string Declared => string.Join(", ", Parameters.Select(parameter => $"{parameter.Type} {parameter.Name}"));
    }
}
