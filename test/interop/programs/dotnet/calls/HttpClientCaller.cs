using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Threading;
using System.Xml.Linq;

/// <summary>Calls with HttpClient, over HTTP GET or POST, all on one connection that is kept.</summary>
public sealed class HttpClientCaller {
    const string Body = "body";
    readonly string address;
    readonly bool isGet;
    readonly ISet<string> manners;
    readonly Dictionary<string, (string Service, string[] Parameters)> operations = new Dictionary<string, (string, string[])>();
    readonly HttpClient client;
    int connections;

    /// <param name="contracts">Generated interfaces, for the names of what is called.</param>
    /// <param name="manners">"Expect: 100-continue", "chunked" and "compression offered", or none.</param>
    public HttpClientCaller(string address, string method, IEnumerable<Type> contracts, ISet<string> manners) {
        this.address = address;
        this.manners = manners;
        isGet = method == "GET";
        foreach (var contract in contracts) {
            foreach (var operation in contract.GetMethods().Where(operation => !operation.Name.EndsWith("Async"))) {
                var parameters = operation.GetParameters().Select(parameter => parameter.Name).ToArray();
                operations.Add(operation.Name, (contract.Namespace.Split('.').Last(), parameters));
            }
        }
        client = new HttpClient(new SocketsHttpHandler {
            AutomaticDecompression = manners.Contains("compression offered") ? DecompressionMethods.All : DecompressionMethods.None,
            // A service that never says 100 is found out.
            Expect100ContinueTimeout = Timeout.InfiniteTimeSpan,
            ConnectCallback = async (context, cancellation) => {
                connections++;
                var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                await socket.ConnectAsync(context.DnsEndPoint, cancellation);
                return new NetworkStream(socket, ownsSocket: true);
            },
        });
    }

    public object Call(string operation, string[] texts) {
        var (service, parameters) = operations[operation];
        var values = parameters
            .Select((name, index) => KeyValuePair.Create(name, texts[index]))
            .Where(pair => pair.Value != null);
        var response = client.SendAsync(Request($"{address}/{service}.asmx/{operation}", values)).GetAwaiter().GetResult();
        var body = response.Content.ReadAsStringAsync().GetAwaiter().GetResult();
        if (connections > 1) throw new InvalidOperationException($"{connections} connections instead of one");
        try {
            response.EnsureSuccessStatusCode();
        } catch (HttpRequestException exception) {
            exception.Data[Body] = body;
            throw;
        }
        return body == "" ? CallLoop.Nothing : Read(XDocument.Parse(body).Root);
    }

    public static Fault Describe(Exception exception) {
        var refused = exception as HttpRequestException;
        if (refused?.StatusCode == null) return null;
        return new Fault(refused, ((int)refused.StatusCode).ToString(), (string)refused.Data[Body]);
    }

    HttpRequestMessage Request(string url, IEnumerable<KeyValuePair<string, string>> values) {
        if (isGet) {
            var query = values.Select(pair => $"{pair.Key}={Uri.EscapeDataString(pair.Value)}");
            return new HttpRequestMessage(HttpMethod.Get, $"{url}?{string.Join("&", query)}");
        }
        var request = new HttpRequestMessage(HttpMethod.Post, url) { Content = new FormUrlEncodedContent(values) };
        request.Headers.ExpectContinue = manners.Contains("Expect: 100-continue");
        request.Headers.TransferEncodingChunked = manners.Contains("chunked");
        return request;
    }

    static object Read(XElement root) {
        if (root.Name.LocalName == "string") return root.Value;
        return root.Elements().Select(record => record.Elements().Select(field => field.Value).ToArray()).ToArray();
    }
}
