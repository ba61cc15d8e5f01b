import type { ExampleValues } from '../help';
import type { BindingSample } from './binding-samples';
import type { EndpointAddress } from './endpoint-address';
import { MessageTemplate } from './message-template';
import { exampleOrAny } from './sample-values';

/**
 * A command that calls an operation over a binding and shows the whole answer; it runs as it stands.
 *
 * @param examples - the other parameters get something that can be sent
 */
export function curlCommand(
  sample: BindingSample,
  { url }: EndpointAddress,
  examples: ExampleValues,
): string {
  const isSoap = sample.binding === 'soap11' || sample.binding === 'soap12';
  const valueOf = exampleOrAny(sample.binding, examples);
  const fill = (marked: string): string => new MessageTemplate(marked).fill(valueOf);
  const words = ['curl', '-i', shellWord(url + fill(sample.target))];
  // curl's own content type for data is the one of the form.
  if (isSoap) words.push('-H', shellWord(`Content-Type: ${sample.contentType ?? ''}`));
  if (sample.soapAction !== undefined) words.push('-H', shellWord(`SOAPAction: ${sample.soapAction}`));
  if (sample.body !== undefined) words.push('-d', shellWord(fill(sample.body.inOneLine)));
  return words.join(' ');
}

/**
 * Quotes a text for a command line. Double quotes serve POSIX shells, PowerShell and cmd alike as long as
 * nothing in the text means something to one of them; what holds more is quoted for POSIX shells.
 */
export function shellWord(text: string): string {
  return /^[\w:/.,?*=[\]~+-]*$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
