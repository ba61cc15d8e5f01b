import { quotedWord } from '../../../support/shell';
import type { ServiceContract } from '../../contract/operation';
import { parsePublicAddress } from '../../http/public-address';
import type { ExampleValues } from '../help';
import { type EndpointAddress, endpointAddress } from './page';
import { exampleOrAny } from './sample-values';
import { type BindingSample, bindingSamples, bindingTitle, MessageTemplate } from './samples';

/**
 * Returns a command that calls an operation over a binding and shows the whole answer, ready to run.
 *
 * @param examples values of parameters; the others get something valid
 */
export function curlCommand(
  sample: BindingSample,
  { url }: EndpointAddress,
  examples: ExampleValues,
): string {
  const isSoap = sample.binding === 'soap11' || sample.binding === 'soap12';
  const valueOf = exampleOrAny(sample.binding, examples);
  const fill = (marked: string): string => new MessageTemplate(marked).fill(valueOf);
  const words = ['curl', '-i', anyShellWord(url + fill(sample.target))];
  // curl's own content type for data is the one of the form.
  if (isSoap) words.push('-H', anyShellWord(`Content-Type: ${sample.contentType ?? ''}`));
  if (sample.soapAction !== undefined) words.push('-H', anyShellWord(`SOAPAction: ${sample.soapAction}`));
  if (sample.body !== undefined) words.push('-d', anyShellWord(fill(sample.body.inOneLine)));
  return words.join(' ');
}

/**
 * Quotes a text for a command line. Double quotes work in POSIX shells, PowerShell and cmd alike unless the
 * text contains a special character of one of them; such a text is quoted for POSIX shells.
 */
export function anyShellWord(text: string): string {
  return /^[\w:/.,?*=[\]~+-]*$/.test(text) ? `"${text}"` : quotedWord(text);
}

export interface ExampleCall {
  readonly operation: string;
  readonly values: ExampleValues;
}

export interface ExampleCommand {
  /** The binding, as the pages call it. */
  readonly title: string;
  /** One line for a shell. */
  readonly command: string;
}

/**
 * Returns commands for the operation's page with the values of a call, the shortest first.
 *
 * @param address base URL for callers: `https://host:port/prefix`
 */
export function exampleCommands(
  services: readonly ServiceContract[],
  { operation: name, values }: ExampleCall,
  address: string,
): readonly ExampleCommand[] {
  const server = parsePublicAddress(address);
  const commands = services.flatMap(({ path, namespace, operations }) =>
    operations
      .filter((operation) => operation.name === name)
      .flatMap((operation) => bindingSamples(operation, namespace))
      .map((sample) => ({
        title: bindingTitle[sample.binding],
        command: curlCommand(sample, endpointAddress(server, path), values),
      })),
  );
  return commands.toSorted((one, other) => one.command.length - other.command.length);
}
