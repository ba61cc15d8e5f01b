using Proxies;

/// <summary>Checks the types with System.ServiceModel.</summary>
public static class WcfTypes {
    /// <param name="arguments">The address of Types.asmx, and the version of SOAP, 1.1 or 1.2.</param>
    public static void Main(string[] arguments) {
        TypesChecks.Run(new Types(arguments[1] == "1.2" ? Bindings.Soap12() : Bindings.Soap11(), arguments[0]));
    }
}
