// SoapCore on Kestrel, without log and store: two of our operations with lists in memory.
// Usage: server LISTS, a file with a line for each student: school, id, name and device, separated by tabs.
using System.ServiceModel;
using SoapCore;

Lists.Read(args[0]);
var builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Services.AddSoapCore();
builder.Services.AddSingleton<Tokens>();
builder.Services.AddSingleton<Students>();
var app = builder.Build();
Serve<Tokens>("/PushNotificationMobile.asmx");
Serve<Students>("/NotificationNotes.asmx");
await app.StartAsync();
Console.Error.WriteLine($"Listening on {app.Urls.Single()}");
await app.WaitForShutdownAsync();

void Serve<Service>(string path) => ((IApplicationBuilder)app).UseSoapEndpoint<Service>(options =>
{
    options.Path = path;
    options.SoapSerializer = SoapSerializer.XmlSerializer;
    options.IndentXml = false;
});

[ServiceContract(Namespace = "http://tempuri.org/")]
public class Tokens
{
    [OperationContract(Action = "http://tempuri.org/GetTokenDevice")]
    public string GetTokenDevice(string id) => $"TOKEN-{id}";
}

[ServiceContract(Namespace = "http://tempuri.org/")]
public class Students
{
    [OperationContract(Action = "http://tempuri.org/GetStudentSchool")]
    public StudentInfo[] GetStudentSchool(string school_base_url, char show_active) => Lists.Of(school_base_url);
}

public class StudentInfo
{
    public string? id_student;
    public string? fullName;
    public string? id_device;
    public string? ShowActive;
}

public static class Lists
{
    private static Dictionary<string, StudentInfo[]> bySchool = [];

    public static void Read(string file) =>
        bySchool = File.ReadLines(file)
            .Select(line => line.Split('\t'))
            .GroupBy(fields => fields[0])
            .ToDictionary(
                school => school.Key,
                school => school
                    .Select(fields => new StudentInfo
                    {
                        id_student = fields[1],
                        fullName = fields[2],
                        id_device = fields[3],
                        ShowActive = "Y",
                    })
                    .ToArray());

    public static StudentInfo[] Of(string school) => bySchool.GetValueOrDefault(school, []);
}
