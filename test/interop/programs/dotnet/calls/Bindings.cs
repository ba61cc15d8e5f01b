using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Xml;

/// <summary>The bindings that dotnet-svcutil writes into the clients of an ASMX service.</summary>
public static class Bindings {
    public static Binding Soap11(TransferMode mode = TransferMode.Buffered) {
        return new BasicHttpBinding {
            MaxBufferSize = int.MaxValue,
            ReaderQuotas = XmlDictionaryReaderQuotas.Max,
            MaxReceivedMessageSize = int.MaxValue,
            AllowCookies = true,
            TransferMode = mode,
        };
    }

    public static Binding Soap12(TransferMode mode = TransferMode.Buffered) {
        var version = MessageVersion.CreateVersion(EnvelopeVersion.Soap12, AddressingVersion.None);
        return new CustomBinding(
            new TextMessageEncodingBindingElement { MessageVersion = version },
            new HttpTransportBindingElement {
                AllowCookies = true,
                MaxBufferSize = int.MaxValue,
                MaxReceivedMessageSize = int.MaxValue,
                TransferMode = mode,
            });
    }
}
