import type { Recorded } from '../traffic';
import { documentEdges } from './document-edges';
import { formEdges } from './form-edges';
import { plainCalls, type Probe } from './requests';
import { soapEdges } from './soap-edges';
import type { ProbedService, Subject } from './subject';
import { type SampleValues, valuesOf } from './values';

/**
 * Traffic made from descriptions: every operation by every binding with each set of values, then, with the first set,
 * the edges of what a server takes, and the documents of each endpoint.
 */
export function* probe(services: readonly ProbedService[], samples: SampleValues): Generator<Recorded> {
  for (const { path, contract } of services) {
    for (const operation of contract.operations) {
      const subjects = valuesOf(samples, operation).map((values): Subject => ({
        path,
        namespace: contract.namespace,
        operation,
        values,
      }));
      for (const [index, subject] of subjects.entries())
        yield* recorded(`${operation.name} ${String(index + 1)}`, plainCalls(subject));
      const [first] = subjects;
      if (first !== undefined) yield* recorded(operation.name, [...soapEdges(first), ...formEdges(first)]);
    }
    yield* recorded(
      path,
      documentEdges(
        path,
        contract.operations.map(({ name }) => name),
      ),
    );
  }
}

function* recorded(of: string, probes: readonly Probe[]): Generator<Recorded> {
  for (const [name, request] of probes) yield { request, source: `probe: ${of} ${name}` };
}
