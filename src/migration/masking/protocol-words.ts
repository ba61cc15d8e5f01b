// Texts that every server of this protocol has. Their words say nothing of anybody, and are what a reader looks for.
const TEXTS = `
Server was unable to process request. Server was unable to read request.
There is an error in XML document. Input string was not in a correct format.
Value was either too large or too small for a UInt16.
Server did not recognize the value of HTTP Header SOAPAction
Unable to handle request without a valid action parameter. Please supply a valid soap action.
Unable to handle request. The action was not recognized.
Request format is invalid: Missing required soap:Body element. Missing required soap:Envelope element.
Request format is unrecognized for URL unexpectedly ending in
Root element is missing. Data at the root level is invalid. Line, position. DTD is prohibited in this XML document.
SOAP header was not understood. MustUnderstand VersionMismatch Client Server Sender Receiver
Possible SOAP version mismatch: Envelope namespace was unexpected. Expecting
An error occurred on the server. Missing parameter Parameter name methodName type
Web Service method name is not valid. Invalid method name, method names are case sensitive.
The method name with the same name but different casing was found.
Cannot convert to System.Char. String must be exactly one character long.
Operation is not valid due to the current state of the object. Maximum request length exceeded.
There was an exception running the extensions specified in the config file.
Object reference not set to an instance of an object. Exception of type was thrown.
XML Web service description was not found. Schema not found. Server Too Busy Bad Request
A potentially dangerous Request.QueryString Request.Form Request.Path value was detected from the client
Internal Server Error Service Unavailable Not Found Method Not Allowed Unsupported Media Type
Only Web services with a ScriptService attribute on the class definition can be called from script.
soap soap12 xsd xsi xml version encoding utf-8 utf-16 iso-8859-1 iso-8859-9 windows-1254 us-ascii
text html plain xml application json charset octet-stream form-data urlencoded www form multipart boundary
private public max-age no-cache no-store must-revalidate s-maxage
GET POST HEAD PUT DELETE PATCH OPTIONS TRACE gzip deflate br identity
Basic Digest NTLM Negotiate Bearer realm nonce algorithm qop stale
Secure HttpOnly SameSite Path Domain Accept-Encoding Cookie Origin
nil true false
`;

/** The words of those texts, as they are written there; a single letter may be a mark in a school. */
export const PROTOCOL_WORDS: ReadonlySet<string> = new Set(TEXTS.match(/[A-Za-z]{2,}/g));
