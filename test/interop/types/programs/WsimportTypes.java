import java.io.PrintStream;
import java.math.BigDecimal;
import java.net.URL;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import proxies.types.ArrayOfEntry;
import proxies.types.ArrayOfInt;
import proxies.types.ArrayOfString;
import proxies.types.Entry;
import proxies.types.Exam;
import proxies.types.Grade;
import proxies.types.Types;
import proxies.types.TypesSoap;

/**
 * Sends values of all types through the proxy of Types.asmx, whose operations give back what they get. One line per check
 * on standard output: "passed" or "failed", what was tried, and why it failed, separated by tabs.
 */
public final class WsimportTypes {
    private static PrintStream output;

    private interface Attempt {
        void run() throws Exception;
    }

    /** Takes the address of Types.asmx, and the version of SOAP, 1.1 or 1.2. */
    public static void main(String[] arguments) throws Exception {
        output = new PrintStream(System.out, true, "UTF-8");
        Types service = new Types(new URL(arguments[0] + "?WSDL"));
        TypesSoap proxy = arguments[1].equals("1.2") ? service.getTypesSoap12() : service.getTypesSoap();
        same("int", proxy::echoInt, 0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE);
        same("long", proxy::echoLong, 0L, Long.MIN_VALUE, Long.MAX_VALUE, 9007199254740993L);
        same("short", proxy::echoShort, (short) 0, Short.MIN_VALUE, Short.MAX_VALUE);
        same("unsignedByte", proxy::echoByte, (short) 0, (short) 255);
        same("boolean", proxy::echoBool, true, false);
        same("decimal", proxy::echoDecimal, decimal("0"), decimal("0.10"), decimal("-1.5"),
                decimal("79228162514264337593543950335"), decimal("0.0000000000000000000000000001"));
        same("double", proxy::echoDouble, 0.0, 0.1, -1.5e-7, 1e21, Double.MAX_VALUE, Double.MIN_VALUE, Double.NaN,
                Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
        same("float", proxy::echoFloat, 0f, 0.1f, -1.5e-7f, 1e10f, Float.MAX_VALUE, Float.NaN, Float.POSITIVE_INFINITY,
                Float.NEGATIVE_INFINITY);
        same("dateTime", proxy::echoDateTime, moment("2026-11-22T08:30:00"), moment("2026-11-22T08:30:00.1234567"),
                moment("2026-11-22T08:30:00Z"), moment("0001-01-01T00:00:00"), moment("9999-12-31T23:59:59"));
        same("guid", proxy::echoGuid, "00000000-0000-0000-0000-000000000000", "01234567-89ab-cdef-0123-456789abcdef");
        same("char", proxy::echoChar, (int) 'A', (int) 'ş', (int) '<', 0xFFFD);
        same("enumeration", proxy::echoGrade, Grade.LOW, Grade.MIDDLE, Grade.HIGH);
        same("base64Binary", proxy::echoBytes, new byte[0], new byte[] {0, 1, (byte) 254, (byte) 255}, new byte[100000]);
        same("list of strings", proxy::echoStrings, strings(), strings("a"), strings("a", null, "", " ş <&>]]>\" "),
                strings(Collections.nCopies(1000, "x").toArray(new String[0])));
        same("list of int", proxy::echoInts, ints(), ints(7), ints(Collections.nCopies(1000, -5).toArray(new Integer[0])));
        same("nullable int", proxy::echoMaybe, null, 0, -5);
        same("record with everything set", proxy::echoEntry, fullEntry());
        for (int count : new int[] {0, 1, 2, 1000}) {
            same("record with a list of " + count, proxy::echoExam, fullExam(count));
            check("a record made by the service, with a list of " + count,
                    () -> expect(count, proxy.getExam(count).getEntries().getEntry().size()));
        }
        for (int count : new int[] {0, 1, 30}) {
            check("a list of " + count + " records", () -> expect(count, proxy.getExams(count).getExam().size()));
        }
        check("record with nothing set", () -> {
            Entry entry = proxy.echoEntry(new Entry());
            expect("null 0001-01-01T00:00:00 0 0 false Low null 0", String.join(" ", entry.getSubject(), entry.getDate() + "",
                    entry.getMinutes() + "", entry.getWeight() + "", entry.isOral() + "", entry.getGrade().value(),
                    entry.getAverage() + "", entry.getNumber() + ""));
        });
        check("nothing", () -> proxy.nothing(1, true));
    }

    private static Entry fullEntry() throws Exception {
        Entry entry = new Entry();
        entry.setSubject("Türkçe <&> ");
        entry.setDate(moment("2026-11-22T08:30:00"));
        entry.setMinutes(40);
        entry.setWeight(decimal("0.10"));
        entry.setOral(true);
        entry.setGrade(Grade.MIDDLE);
        entry.setAverage(1.5);
        entry.setNumber(-3);
        return entry;
    }

    private static Exam fullExam(int entries) throws Exception {
        Exam exam = new Exam();
        exam.setId("E-1");
        exam.setKey("01234567-89ab-cdef-0123-456789abcdef");
        exam.setEntries(new ArrayOfEntry());
        exam.getEntries().getEntry().addAll(Collections.nCopies(entries, fullEntry()));
        exam.setTags(strings("a", null, ""));
        exam.setPaper(new byte[] {0, (byte) 255});
        exam.setMain(fullEntry());
        exam.setTotal(Long.MAX_VALUE);
        exam.setRatio(0.1f);
        exam.setClosed(moment("2026-11-22T08:30:00Z"));
        return exam;
    }

    private static BigDecimal decimal(String text) {
        return new BigDecimal(text);
    }

    private static XMLGregorianCalendar moment(String text) throws Exception {
        return DatatypeFactory.newInstance().newXMLGregorianCalendar(text);
    }

    private static ArrayOfString strings(String... values) {
        ArrayOfString list = new ArrayOfString();
        list.getString().addAll(Arrays.asList(values));
        return list;
    }

    private static ArrayOfInt ints(Integer... values) {
        ArrayOfInt list = new ArrayOfInt();
        list.getInt().addAll(Arrays.asList(values));
        return list;
    }

    @SafeVarargs
    private static <T> void same(String what, Function<T, T> echo, T... values) {
        for (T value : values) {
            String text = text(value);
            check(what + " " + (text.length() <= 60 ? text : text.substring(0, 60) + "..."),
                    () -> expect(text, text(echo.apply(value))));
        }
    }

    /** All of a value: those that hold others, by what JAXB writes of them. */
    private static String text(Object value) {
        if (value == null) return "null";
        if (value instanceof byte[]) return Arrays.toString((byte[]) value);
        if (value instanceof ArrayOfString) return ((ArrayOfString) value).getString().toString();
        if (value instanceof ArrayOfInt) return ((ArrayOfInt) value).getInt().toString();
        if (value instanceof Entry) {
            Entry entry = (Entry) value;
            List<Object> fields = Arrays.asList(entry.getSubject(), entry.getDate(), entry.getMinutes(), entry.getWeight(),
                    entry.isOral(), entry.getGrade(), entry.getAverage(), entry.getNumber());
            return "Entry" + fields;
        }
        if (value instanceof Exam) {
            Exam exam = (Exam) value;
            StringBuilder entries = new StringBuilder();
            for (Entry entry : exam.getEntries().getEntry()) entries.append(text(entry));
            List<Object> fields = Arrays.asList(exam.getId(), exam.getKey(), text(exam.getTags()), text(exam.getPaper()),
                    text(exam.getMain()), exam.getTotal(), exam.getRatio(), exam.getClosed(), entries);
            return "Exam" + fields;
        }
        return value.toString();
    }

    private static void expect(Object expected, Object actual) {
        if (!expected.equals(actual)) throw new IllegalStateException(actual + " instead of " + expected);
    }

    private static void check(String what, Attempt attempt) {
        String failure = null;
        try {
            attempt.run();
        } catch (Exception exception) {
            failure = exception.toString();
        }
        output.println(failure == null ? "passed\t" + line(what) : "failed\t" + line(what) + "\t" + line(failure));
    }

    private static String line(String text) {
        return text.replaceAll("\\s", " ");
    }
}
