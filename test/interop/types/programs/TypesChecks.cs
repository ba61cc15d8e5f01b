using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Xml.Serialization;
using Proxies;

/// <summary>
/// Sends values of all types through a proxy of Types.asmx, whose operations give back what they get. One line per check
/// on standard output: "passed" or "failed", what was tried, and why it failed, separated by tabs.
/// </summary>
public static class TypesChecks {
    static readonly DateTime Moment = new DateTime(2026, 11, 22, 8, 30, 0).AddTicks(1234567);

    public static void Run(Types proxy) {
        // What it writes must not depend on where it runs.
        Thread.CurrentThread.CurrentCulture = new CultureInfo("tr-TR");
        Same("int", proxy.EchoInt, 0, 1, -1, int.MinValue, int.MaxValue);
        Same("long", proxy.EchoLong, 0, long.MinValue, long.MaxValue, 9007199254740993);
        Same<short>("short", proxy.EchoShort, 0, short.MinValue, short.MaxValue);
        Same<byte>("unsignedByte", proxy.EchoByte, 0, 255);
        Same("boolean", proxy.EchoBool, true, false);
        Same("decimal", proxy.EchoDecimal, 0, 0.10m, -1.5m, decimal.MinValue, decimal.MaxValue, new decimal(1, 0, 0, false, 28));
        Same("double", proxy.EchoDouble, 0, 0.1, -1.5e-7, 1e21, double.MaxValue, double.Epsilon, double.NaN, double.PositiveInfinity, double.NegativeInfinity);
        Same("float", proxy.EchoFloat, 0, 0.1f, -1.5e-7f, 1e10f, float.MaxValue, float.NaN, float.PositiveInfinity, float.NegativeInfinity);
        Same("dateTime", proxy.EchoDateTime, Moment, DateTime.SpecifyKind(Moment, DateTimeKind.Utc), DateTime.MinValue, new DateTime(9999, 12, 31, 23, 59, 59));
        Same("guid", proxy.EchoGuid, Guid.Empty, new Guid("01234567-89ab-cdef-0123-456789abcdef"));
        Same("char", proxy.EchoChar, 'A', 'ş', '<', '\uFFFD');
        Same("enumeration", proxy.EchoGrade, Grade.Low, Grade.Middle, Grade.High);
        Same("base64Binary", proxy.EchoBytes, new byte[0], new byte[] { 0, 1, 254, 255 }, Bytes(100000));
        Same("list of strings", proxy.EchoStrings, new string[0], new[] { "a" }, new[] { "a", null, "", " ş <&>]]>\" " }, Repeat(1000, "x"));
        Same("list of int", proxy.EchoInts, new int[0], new[] { 7 }, Enumerable.Range(-500, 1000).ToArray());
        Same<int?>("nullable int", proxy.EchoMaybe, null, 0, -5);
        Same("record with nothing set", proxy.EchoEntry, new Entry());
        Same("record with everything set", proxy.EchoEntry, FullEntry());
        Same("record in records with nothing set", proxy.EchoExam, new Exam());
        Same("record in records with everything set", proxy.EchoExam, FullExam(2));
        foreach (var count in new[] { 0, 1, 1000 }) {
            Same("record with a list of " + count, proxy.EchoExam, FullExam(count));
            Check("a record made by the service, with a list of " + count, () => Expect(count, proxy.GetExam(count).entries.Length));
        }
        foreach (var count in new[] { 0, 1, 30 }) {
            Check("a list of " + count + " records", () => Expect(count, proxy.GetExams(count).Length));
        }
        Check("nothing", () => proxy.Nothing(1, true));
    }

    static Entry FullEntry() {
        return new Entry { subject = "Türkçe <&> ", date = Moment, minutes = 40, weight = 0.10m, oral = true, grade = Grade.Middle, average = 1.5, number = -3 };
    }

    static Exam FullExam(int entries) {
        return new Exam {
            id = "E-1",
            key = new Guid("01234567-89ab-cdef-0123-456789abcdef"),
            entries = Repeat(entries, FullEntry()),
            tags = new[] { "a", null, "" },
            paper = new byte[] { 0, 255 },
            main = FullEntry(),
            total = long.MaxValue,
            ratio = 0.1f,
            closed = DateTime.SpecifyKind(Moment, DateTimeKind.Utc),
        };
    }

    static T[] Repeat<T>(int count, T value) {
        return Enumerable.Repeat(value, count).ToArray();
    }

    static byte[] Bytes(int count) {
        return Enumerable.Range(0, count).Select(index => (byte)index).ToArray();
    }

    static void Same<T>(string what, Func<T, T> echo, params T[] values) {
        foreach (var value in values) Check(what + " " + Short(Text(value)), () => Expect(Text(value), Text(echo(value))));
    }

    static void Expect<T>(T expected, T actual) {
        if (!EqualityComparer<T>.Default.Equals(expected, actual)) throw new Exception(Short(actual.ToString()) + " instead of " + Short(expected.ToString()));
    }

    static void Check(string what, Action action) {
        string failure = null;
        try {
            action();
        } catch (Exception exception) {
            failure = exception.Message;
        }
        Console.WriteLine(failure == null ? "passed\t" + Line(what) : "failed\t" + Line(what) + "\t" + Line(failure));
    }

    /// <summary>All of a value, with null and empty apart and each number to the last digit.</summary>
    static string Text<T>(T value) {
        var writer = new StringWriter();
        new XmlSerializer(typeof(T)).Serialize(writer, value);
        var text = writer.ToString();
        var root = text.IndexOf('>', text.IndexOf("?>") + 2);
        return value == null ? "null" : text.Substring(text.LastIndexOf('<', root) + 1);
    }

    static string Short(string text) {
        return text.Length <= 60 ? text : text.Substring(0, 60) + "...";
    }

    static string Line(string text) {
        return text.Replace("\r", " ").Replace("\n", " ").Replace("\t", " ");
    }
}
