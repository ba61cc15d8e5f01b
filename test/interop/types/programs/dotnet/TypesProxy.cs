using System;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Xml.Serialization;

/// <summary>
/// The proxy of Types.asmx for System.ServiceModel, written by hand as dotnet-svcutil writes one for XmlSerializer: a record
/// with an attribute is none of the data contracts that WriteProxies.cs knows.
/// </summary>
namespace Proxies {
    [ServiceContract(Namespace = "http://tempuri.org/"), XmlSerializerFormat(SupportFaults = true)]
    public interface TypesSoap {
        [OperationContract(Action = "http://tempuri.org/EchoInt", ReplyAction = "*")]
        int EchoInt(int v);

        [OperationContract(Action = "http://tempuri.org/EchoLong", ReplyAction = "*")]
        long EchoLong(long v);

        [OperationContract(Action = "http://tempuri.org/EchoShort", ReplyAction = "*")]
        short EchoShort(short v);

        [OperationContract(Action = "http://tempuri.org/EchoByte", ReplyAction = "*")]
        byte EchoByte(byte v);

        [OperationContract(Action = "http://tempuri.org/EchoBool", ReplyAction = "*")]
        bool EchoBool(bool v);

        [OperationContract(Action = "http://tempuri.org/EchoDecimal", ReplyAction = "*")]
        decimal EchoDecimal(decimal v);

        [OperationContract(Action = "http://tempuri.org/EchoDouble", ReplyAction = "*")]
        double EchoDouble(double v);

        [OperationContract(Action = "http://tempuri.org/EchoFloat", ReplyAction = "*")]
        float EchoFloat(float v);

        [OperationContract(Action = "http://tempuri.org/EchoDateTime", ReplyAction = "*")]
        DateTime EchoDateTime(DateTime v);

        [OperationContract(Action = "http://tempuri.org/EchoGuid", ReplyAction = "*")]
        Guid EchoGuid(Guid v);

        [OperationContract(Action = "http://tempuri.org/EchoChar", ReplyAction = "*")]
        char EchoChar(char v);

        [OperationContract(Action = "http://tempuri.org/EchoGrade", ReplyAction = "*")]
        Grade EchoGrade(Grade v);

        [OperationContract(Action = "http://tempuri.org/EchoBytes", ReplyAction = "*")]
        byte[] EchoBytes(byte[] v);

        [OperationContract(Action = "http://tempuri.org/EchoStrings", ReplyAction = "*")]
        string[] EchoStrings(string[] v);

        [OperationContract(Action = "http://tempuri.org/EchoInts", ReplyAction = "*")]
        int[] EchoInts(int[] v);

        [OperationContract(Action = "http://tempuri.org/EchoMaybe", ReplyAction = "*")]
        [return: XmlElement(IsNullable = true)]
        int? EchoMaybe([XmlElement(IsNullable = true)] int? v);

        [OperationContract(Action = "http://tempuri.org/EchoEntry", ReplyAction = "*")]
        Entry EchoEntry(Entry v);

        [OperationContract(Action = "http://tempuri.org/EchoExam", ReplyAction = "*")]
        Exam EchoExam(Exam v);

        [OperationContract(Action = "http://tempuri.org/GetExam", ReplyAction = "*")]
        Exam GetExam(int entries);

        [OperationContract(Action = "http://tempuri.org/GetExams", ReplyAction = "*")]
        Exam[] GetExams(int count);

        [OperationContract(Action = "http://tempuri.org/Nothing", ReplyAction = "*")]
        void Nothing(int a, bool b);
    }

    public class Types : ClientBase<TypesSoap> {
        public Types(Binding binding, string address) : base(binding, new EndpointAddress(address)) {}

        public int EchoInt(int v) { return Channel.EchoInt(v); }

        public long EchoLong(long v) { return Channel.EchoLong(v); }

        public short EchoShort(short v) { return Channel.EchoShort(v); }

        public byte EchoByte(byte v) { return Channel.EchoByte(v); }

        public bool EchoBool(bool v) { return Channel.EchoBool(v); }

        public decimal EchoDecimal(decimal v) { return Channel.EchoDecimal(v); }

        public double EchoDouble(double v) { return Channel.EchoDouble(v); }

        public float EchoFloat(float v) { return Channel.EchoFloat(v); }

        public DateTime EchoDateTime(DateTime v) { return Channel.EchoDateTime(v); }

        public Guid EchoGuid(Guid v) { return Channel.EchoGuid(v); }

        public char EchoChar(char v) { return Channel.EchoChar(v); }

        public Grade EchoGrade(Grade v) { return Channel.EchoGrade(v); }

        public byte[] EchoBytes(byte[] v) { return Channel.EchoBytes(v); }

        public string[] EchoStrings(string[] v) { return Channel.EchoStrings(v); }

        public int[] EchoInts(int[] v) { return Channel.EchoInts(v); }

        public int? EchoMaybe(int? v) { return Channel.EchoMaybe(v); }

        public Entry EchoEntry(Entry v) { return Channel.EchoEntry(v); }

        public Exam EchoExam(Exam v) { return Channel.EchoExam(v); }

        public Exam GetExam(int entries) { return Channel.GetExam(entries); }

        public Exam[] GetExams(int count) { return Channel.GetExams(count); }

        public void Nothing(int a, bool b) { Channel.Nothing(a, b); }
    }

    public enum Grade { Low, Middle, High }

    [XmlType(Namespace = "http://tempuri.org/")]
    public class Entry {
        [XmlElement(Order = 0)]
        public string subject { get; set; }

        [XmlElement(Order = 1)]
        public DateTime date { get; set; }

        [XmlElement(Order = 2)]
        public int minutes { get; set; }

        [XmlElement(Order = 3)]
        public decimal weight { get; set; }

        [XmlElement(Order = 4)]
        public bool oral { get; set; }

        [XmlElement(Order = 5)]
        public Grade grade { get; set; }

        [XmlElement(IsNullable = true, Order = 6)]
        public double? average { get; set; }

        [XmlAttribute]
        public int number { get; set; }
    }

    [XmlType(Namespace = "http://tempuri.org/")]
    public class Exam {
        [XmlElement(Order = 0)]
        public string id { get; set; }

        [XmlElement(Order = 1)]
        public Guid key { get; set; }

        [XmlArray(Order = 2)]
        public Entry[] entries { get; set; }

        [XmlArray(Order = 3)]
        public string[] tags { get; set; }

        [XmlElement(DataType = "base64Binary", Order = 4)]
        public byte[] paper { get; set; }

        [XmlElement(Order = 5)]
        public Entry main { get; set; }

        [XmlElement(Order = 6)]
        public long total { get; set; }

        [XmlElement(Order = 7)]
        public float ratio { get; set; }

        [XmlElement(IsNullable = true, Order = 8)]
        public DateTime? closed { get; set; }
    }
}
