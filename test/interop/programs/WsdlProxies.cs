using System;
using System.Linq;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Web.Services.Protocols;
using Proxies;

/// <summary>Calls through the proxies of Mono's wsdl; compiled once per protocol, against that protocol's proxies.</summary>
public static class WsdlProxies {
    /// <param name="arguments">The address of the service.</param>
    public static void Main(string[] arguments) {
        var address = arguments[0];
        TrustOnlyTheService();
        var codes = new AuthCodeSending { Url = address + "/AuthCodeSending.asmx" };
        var exams = new Scheduals { Url = address + "/Scheduals.asmx" };
        var types = new GetNoteType { Url = address + "/GetNoteType.asmx" };
        var notes = new NotificationNotes { Url = address + "/NotificationNotes.asmx" };
        var devices = new PushNotificationMobile { Url = address + "/PushNotificationMobile.asmx" };

        foreach (var proxy in new HttpWebClientProtocol[] { codes, exams, types, notes, devices }) ShowCredentials(proxy);

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

    static void TrustOnlyTheService() {
        var file = Environment.GetEnvironmentVariable("SERVER_CERTIFICATE");
        if (file == null) return;
        var expected = new X509Certificate2(file);
        ServicePointManager.ServerCertificateValidationCallback = (sender, shown, chain, errors) => expected.Equals(shown);
    }

    static void ShowCredentials(HttpWebClientProtocol proxy) {
        var user = Environment.GetEnvironmentVariable("CLIENT_USER");
        var password = Environment.GetEnvironmentVariable("CLIENT_PASSWORD");
        var certificate = Environment.GetEnvironmentVariable("CLIENT_CERTIFICATE");
        if (user != null) proxy.Credentials = new NetworkCredential(user, password);
        if (certificate != null) proxy.ClientCertificates.Add(new X509Certificate2(certificate, "interop"));
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
        if (soap != null) return new Fault(soap, string.Format("{{{0}}}{1}", soap.Code.Namespace, soap.Code.Name), soap.Detail == null ? null : soap.Detail.InnerXml);
        var web = exception as WebException;
        if (web != null) return new Fault(web, web.Status.ToString(), null);
        return null;
    }
}
