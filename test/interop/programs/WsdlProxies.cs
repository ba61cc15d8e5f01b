using System;
using System.Linq;
using System.Net;
using System.Web.Services.Protocols;
using Proxies;

/// <summary>Calls through the proxies of Mono's wsdl; compiled once per protocol, against that protocol's proxies.</summary>
public static class WsdlProxies {
    /// <param name="arguments">The address of the service.</param>
    public static void Main(string[] arguments) {
        var address = arguments[0];
        var codes = new AuthCodeSending { Url = address + "/AuthCodeSending.asmx" };
        var exams = new Scheduals { Url = address + "/Scheduals.asmx" };
        var types = new GetNoteType { Url = address + "/GetNoteType.asmx" };
        var notes = new NotificationNotes { Url = address + "/NotificationNotes.asmx" };
        var devices = new PushNotificationMobile { Url = address + "/PushNotificationMobile.asmx" };

        CallLoop.Run((operation, a) => {
            switch (operation) {
                case "AuthCode": codes.AuthCode(a[0], a[1]); return CallLoop.Nothing;
                case "GetExamTableByExamId": exams.GetExamTableByExamId(a[0]); return CallLoop.Nothing;
                case "GetStudentsNoteType": types.GetStudentsNoteType(); return CallLoop.Nothing;
                case "GetStudentSchool": return notes.GetStudentSchool(a[0], Flag(a[1])).Select(Fields).ToArray();
                case "SendMarkNotes": notes.SendMarkNotes(a[0], a[1], a[2]); return CallLoop.Nothing;
                case "GetTokenDevice": return devices.GetTokenDevice(a[0]);
                default: throw new ArgumentException(operation);
            }
        }, Describe);
    }

#if FORM_PROTOCOL
    static string Flag(string text) { return text; }
#else
    static char Flag(string text) { return text.Single(); }
#endif

    static string[] Fields(StudentInfo student) {
        return new[] { student.id_student, student.fullName, student.id_device, student.ShowActive };
    }

    static Fault Describe(Exception exception) {
        var soap = exception as SoapException;
        if (soap != null) return new Fault(soap, string.Format("{{{0}}}{1}", soap.Code.Namespace, soap.Code.Name));
        var web = exception as WebException;
        if (web != null) return new Fault(web, web.Status.ToString());
        return null;
    }
}
