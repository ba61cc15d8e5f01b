using Proxies;

/// <summary>Checks the types with the proxies of Mono's wsdl.</summary>
public static class MonoTypes {
    /// <param name="arguments">The address of Types.asmx.</param>
    public static void Main(string[] arguments) {
        TypesChecks.Run(new Types { Url = arguments[0] });
    }
}
