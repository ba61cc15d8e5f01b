import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import javax.xml.soap.SOAPFault;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.soap.SOAPFaultException;
import proxies.authcodesending.AuthCodeSending;
import proxies.authcodesending.AuthCodeSendingSoap;
import proxies.getnotetype.GetNoteType;
import proxies.getnotetype.GetNoteTypeSoap;
import proxies.notificationnotes.NotificationNotes;
import proxies.notificationnotes.NotificationNotesSoap;
import proxies.notificationnotes.StudentInfo;
import proxies.pushnotificationmobile.PushNotificationMobile;
import proxies.pushnotificationmobile.PushNotificationMobileSoap;
import proxies.scheduals.Scheduals;
import proxies.scheduals.SchedualsSoap;

/**
 * Calls through the proxies of JAX-WS, over one of the two SOAP ports.
 *
 * <p>One call per line of standard input, one outcome per line of standard output. Fields are separated by tabs. A
 * text is "=" and its percent-encoded UTF-8, null is "-".
 */
public final class WsimportProxies {
    private final AuthCodeSendingSoap codes;
    private final SchedualsSoap exams;
    private final GetNoteTypeSoap types;
    private final NotificationNotesSoap notes;
    private final PushNotificationMobileSoap devices;

    private WsimportProxies(String address, boolean soap12, String descriptions) throws Exception {
        AuthCodeSending codeService = new AuthCodeSending(new URL(descriptions + "/AuthCodeSending.asmx?WSDL"));
        Scheduals examService = new Scheduals(new URL(descriptions + "/Scheduals.asmx?WSDL"));
        GetNoteType typeService = new GetNoteType(new URL(descriptions + "/GetNoteType.asmx?WSDL"));
        NotificationNotes noteService = new NotificationNotes(new URL(descriptions + "/NotificationNotes.asmx?WSDL"));
        PushNotificationMobile deviceService =
                new PushNotificationMobile(new URL(descriptions + "/PushNotificationMobile.asmx?WSDL"));
        codes = soap12 ? codeService.getAuthCodeSendingSoap12() : codeService.getAuthCodeSendingSoap();
        exams = soap12 ? examService.getSchedualsSoap12() : examService.getSchedualsSoap();
        types = soap12 ? typeService.getGetNoteTypeSoap12() : typeService.getGetNoteTypeSoap();
        notes = soap12 ? noteService.getNotificationNotesSoap12() : noteService.getNotificationNotesSoap();
        devices = soap12
                ? deviceService.getPushNotificationMobileSoap12()
                : deviceService.getPushNotificationMobileSoap();
        for (Object proxy : new Object[] {codes, exams, types, notes, devices}) {
            prepare((BindingProvider) proxy, address);
        }
    }

    private static void prepare(BindingProvider proxy, String address) {
        String described = (String) proxy.getRequestContext().get(BindingProvider.ENDPOINT_ADDRESS_PROPERTY);
        proxy.getRequestContext()
                .put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, address + described.substring(described.lastIndexOf('/')));
        String user = System.getenv("CLIENT_USER");
        if (user == null) return;
        proxy.getRequestContext().put(BindingProvider.USERNAME_PROPERTY, user);
        proxy.getRequestContext().put(BindingProvider.PASSWORD_PROPERTY, System.getenv("CLIENT_PASSWORD"));
    }

    /** Takes the address of the service, the version of SOAP, 1.1 or 1.2, and the address of the descriptions. */
    public static void main(String[] arguments) throws Exception {
        WsimportProxies proxies = new WsimportProxies(arguments[0], arguments[1].equals("1.2"), arguments[2]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream output = new PrintStream(System.out, true, "UTF-8");
        String line;
        while ((line = input.readLine()) != null) {
            String[] fields = line.split("\t");
            output.println(proxies.outcome(fields[0], read(fields)));
        }
    }

    private String outcome(String operation, List<String> values) throws Exception {
        try {
            return call(operation, values);
        } catch (SOAPFaultException exception) {
            SOAPFault fault = exception.getFault();
            return line(
                    "fault",
                    SOAPFaultException.class.getName(),
                    fault.getFaultCodeAsQName().toString(),
                    fault.getFaultString(),
                    fault.getDetail() == null ? null : fault.getDetail().getTextContent());
        } catch (RuntimeException exception) {
            return line("broken", exception.getClass().getName(), exception.getMessage(), exception.toString());
        }
    }

    private String call(String operation, List<String> values) throws Exception {
        switch (operation) {
            case "AuthCode":
                codes.authCode(values.get(0), values.get(1));
                return line("nothing");
            case "GetExamTableByExamId":
                exams.getExamTableByExamId(values.get(0));
                return line("nothing");
            case "GetStudentsNoteType":
                types.getStudentsNoteType();
                return line("nothing");
            case "GetStudentSchool":
                List<String> texts = new ArrayList<>();
                for (StudentInfo student : notes.getStudentSchool(values.get(0), values.get(1).charAt(0)).getStudentInfo()) {
                    texts.add(student.getIdStudent());
                    texts.add(student.getFullName());
                    texts.add(student.getIdDevice());
                    texts.add(student.getShowActive());
                }
                return line("students", texts.toArray(new String[0]));
            case "SendMarkNotes":
                notes.sendMarkNotes(values.get(0), values.get(1), values.get(2));
                return line("nothing");
            case "GetTokenDevice":
                return line("text", devices.getTokenDevice(values.get(0)));
            default:
                throw new IllegalArgumentException(operation);
        }
    }

    private static List<String> read(String[] fields) throws Exception {
        List<String> values = new ArrayList<>();
        for (int index = 1; index < fields.length; index++) {
            values.add(fields[index].equals("-") ? null : URLDecoder.decode(fields[index].substring(1), "UTF-8"));
        }
        return values;
    }

    private static String line(String kind, String... texts) throws Exception {
        StringBuilder line = new StringBuilder(kind);
        for (String text : texts) {
            // The encoder is meant for forms, where a blank is a plus sign.
            line.append('\t').append(text == null ? "-" : "=" + URLEncoder.encode(text, "UTF-8").replace("+", "%20"));
        }
        return line.toString();
    }
}
