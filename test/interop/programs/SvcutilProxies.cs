using System;
using System.Linq;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Text;

/// <summary>Calls through the WCF proxies of Mono's svcutil, over one version of SOAP.</summary>
public static class SvcutilProxies {
    /// <param name="arguments">The address of the service and the version of SOAP, 1.1 or 1.2.</param>
    public static void Main(string[] arguments) {
        var binding = Binding(arguments[1] == "1.2" ? EnvelopeVersion.Soap12 : EnvelopeVersion.Soap11);
        Func<string, EndpointAddress> at = endpoint => new EndpointAddress(arguments[0] + "/" + endpoint + ".asmx");
        var codes = new AuthCodeSendingSoapClient(binding, at("AuthCodeSending"));
        var exams = new SchedualsSoapClient(binding, at("Scheduals"));
        var types = new GetNoteTypeSoapClient(binding, at("GetNoteType"));
        var notes = new NotificationNotesSoapClient(binding, at("NotificationNotes"));
        var devices = new PushNotificationMobileSoapClient(binding, at("PushNotificationMobile"));

        CallLoop.Run((operation, a) => {
            switch (operation) {
                case "AuthCode": codes.AuthCode(a[0], a[1]); return CallLoop.Nothing;
                case "GetExamTableByExamId": exams.GetExamTableByExamId(a[0]); return CallLoop.Nothing;
                case "GetStudentsNoteType": types.GetStudentsNoteType(); return CallLoop.Nothing;
                case "GetStudentSchool": return notes.GetStudentSchool(a[0], a[1].Single()).Select(Fields).ToArray();
                case "SendMarkNotes": notes.SendMarkNotes(a[0], a[1], a[2]); return CallLoop.Nothing;
                case "GetTokenDevice": return devices.GetTokenDevice(a[0]);
                default: throw new ArgumentException(operation);
            }
        }, Describe);
    }

    static Binding Binding(EnvelopeVersion envelope) {
        var version = MessageVersion.CreateVersion(envelope, AddressingVersion.None);
        return new CustomBinding(
            new TextMessageEncodingBindingElement(version, Encoding.UTF8),
            new HttpTransportBindingElement());
    }

    static string[] Fields(tempuri.org.StudentInfo student) {
        return new[] { student.id_student, student.fullName, student.id_device, student.ShowActive };
    }

    static Fault Describe(Exception exception) {
        var fault = exception as FaultException;
        if (fault == null) return null;
        var message = fault.CreateMessageFault();
        var detail = message.HasDetail ? message.GetReaderAtDetailContents().ReadOuterXml() : null;
        return new Fault(fault, string.Format("{{{0}}}{1}", fault.Code.Namespace, fault.Code.Name), detail);
    }
}
