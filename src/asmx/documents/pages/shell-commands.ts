import { escapeText } from '../../xml';
import type { BindingSample } from './binding-samples';
import type { EndpointAddress } from './endpoint-address';
import { type Gap, MessageTemplate } from './message-template';

// Something that the service takes: a char is its decimal number over SOAP, itself over GET and POST.
const EXAMPLE_CHARACTER = 'Y';

/**
 * A command that calls an operation over a binding and shows the whole answer; it runs as it stands.
 *
 * @param values - of parameters, by name; the others get something that the service takes
 */
export function curlCommand(
  sample: BindingSample,
  { url }: EndpointAddress,
  values: Readonly<Record<string, string>> = {},
): string {
  const isSoap = sample.binding === 'soap11' || sample.binding === 'soap12';
  const escape = isSoap ? escapeText : encodeURIComponent;
  const valueOf = (place: Gap): string => {
    const value = values[place.parameter ?? ''];
    return value === undefined ? example(place, isSoap) : escape(value);
  };
  const fill = (marked: string): string => new MessageTemplate(marked).fill(valueOf);
  const words = ['curl', '-i', shellWord(url + fill(sample.target))];
  // curl's own content type for data is the one of the form.
  if (isSoap) words.push('-H', shellWord(`Content-Type: ${sample.contentType ?? ''}`));
  if (sample.soapAction !== undefined) words.push('-H', shellWord(`SOAPAction: ${sample.soapAction}`));
  if (sample.body !== undefined) words.push('-d', shellWord(fill(sample.body.inOneLine)));
  return words.join(' ');
}

function example({ placeholder }: Gap, isSoap: boolean): string {
  if (placeholder !== 'char') return placeholder;
  return isSoap ? String(EXAMPLE_CHARACTER.charCodeAt(0)) : EXAMPLE_CHARACTER;
}

/** One tool that makes a proxy class from a service description. */
export interface ProxyCommand {
  readonly platform: string;
  readonly command: string;
}

/** How a proxy for an endpoint is made, in one line for each platform. */
export function proxyCommands(service: string, url: string): readonly ProxyCommand[] {
  const description = shellWord(`${url}?wsdl`);
  return [
    { platform: '.NET', command: `dotnet-svcutil ${description} --namespace ${shellWord(`*,${service}`)}` },
    { platform: '.NET Framework', command: `wsdl /language:CS /namespace:${service} ${description}` },
    { platform: 'Java', command: `wsimport -keep -p ${service.toLowerCase()} ${description}` },
  ];
}

/**
 * Quotes a text for a command line. Double quotes serve POSIX shells, PowerShell and cmd alike as long as
 * nothing in the text means something to one of them; what holds more is quoted for POSIX shells.
 */
export function shellWord(text: string): string {
  return /^[\w:/.,?*=[\]~+-]*$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
