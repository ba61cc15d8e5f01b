using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;

/// <summary>What a stack made of a refused call.</summary>
public sealed class Fault {
    public readonly string Type, Code, Text, Detail;

    /// <param name="detail">Null where the stack has none.</param>
    public Fault(Exception exception, string code, string detail) {
        Type = exception.GetType().FullName;
        Code = code;
        Text = exception.Message;
        Detail = detail;
    }
}

/// <summary>
/// The loop of a client program: one call per line of standard input, one outcome per line of standard output.
/// Fields are separated by tabs. A text is "=" and its percent-encoded UTF-8, null is "-".
/// </summary>
public static class CallLoop {
    /// <summary>The outcome of a call that returns nothing.</summary>
    public static readonly object Nothing = new object();

    /// <param name="call">Takes operation and arguments; returns Nothing, a string or the fields of a list's records.</param>
    /// <param name="describe">The fault that an exception stands for; null for any other exception.</param>
    public static void Run(Func<string, string[], object> call, Func<Exception, Fault> describe) {
        // Two connections a host, the default, are used up by answers that a proxy leaves open.
        ServicePointManager.DefaultConnectionLimit = 1000;
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
        string line;
        while ((line = Console.In.ReadLine()) != null) {
            var fields = line.Split('\t');
            output.WriteLine(Outcome(() => call(fields[0], fields.Skip(1).Select(Read).ToArray()), describe));
        }
    }

    static string Outcome(Func<object> call, Func<Exception, Fault> describe) {
        try {
            var result = call();
            if (result == Nothing) return "nothing";
            var records = result as string[][];
            if (records != null) return string.Join("\t", new[] { "students" }.Concat(records.SelectMany(r => r).Select(Write)));
            return "text\t" + Write((string)result);
        } catch (Exception exception) {
            var fault = describe(exception);
            return fault == null
                ? string.Join("\t", "broken", Write(exception.GetType().FullName), Write(exception.Message), Write(exception.ToString()))
                : string.Join("\t", "fault", Write(fault.Type), Write(fault.Code), Write(fault.Text), Write(fault.Detail));
        }
    }

    static string Read(string field) {
        return field == "-" ? null : Uri.UnescapeDataString(field.Substring(1));
    }

    static string Write(string text) {
        return text == null ? "-" : "=" + Uri.EscapeDataString(text);
    }
}
