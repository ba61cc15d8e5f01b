import type { Binding } from '../operation';
import type { OperationContract } from '../service-contract';
import { type Gap, MessageTemplate } from './message-template';
import { type EndpointAddress } from './sample-messages';
import { sampleRequest } from './sample-request';
import { shellWord } from './shell-word';

// Something that the service takes: a char is its decimal number over SOAP, itself over GET and POST.
const EXAMPLE_CHARACTER = 'Y';

/** A command that calls an operation over a binding and shows the whole answer; it runs as it stands. */
export function curlCommand(
  binding: Binding,
  operation: OperationContract,
  namespace: string,
  { url }: EndpointAddress,
): string {
  const request = sampleRequest[binding](operation, namespace, 'line');
  const isSoap = binding === 'soap11' || binding === 'soap12';
  const fill = (marked: string): string =>
    new MessageTemplate(marked).fill((place) => example(place, isSoap));
  const words = ['curl', '-i', shellWord(url + fill(request.target))];
  // curl's own content type for data is the one of the form.
  if (isSoap) words.push('-H', shellWord(`Content-Type: ${request.contentType ?? ''}`));
  if (request.soapAction !== undefined) words.push('-H', shellWord(`SOAPAction: ${request.soapAction}`));
  if (request.body !== undefined) words.push('-d', shellWord(fill(request.body)));
  return words.join(' ');
}

function example({ placeholder }: Gap, isSoap: boolean): string {
  if (placeholder !== 'char') return placeholder;
  return isSoap ? String(EXAMPLE_CHARACTER.charCodeAt(0)) : EXAMPLE_CHARACTER;
}
