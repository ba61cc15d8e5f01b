import { envelope11, NAMESPACE } from '../../scripts/harness';
import type { ElementContract, ValueType } from '../../src/asmx/contract/values';
import { DEFAULT_LIMITS } from '../../src/asmx/limits';
import { EnvelopeReader } from '../../src/asmx/soap/envelope-reader';
import { element, operationOf, READING_RULES } from './contract-types';

/** A record with an attribute, a name, and perhaps more. */
export function pupilType(...more: readonly ElementContract[]): ValueType {
  return {
    kind: 'record',
    name: 'Pupil',
    attributes: [{ name: 'number', type: { kind: 'plain', name: 'int' }, optional: false }],
    elements: [element('name', 'string'), ...more],
  };
}

/** Reads the markup of parameters in an envelope: their values, or what is wrong with them. */
export function gradeReader(
  parameters: readonly ElementContract[],
  limits: Partial<typeof DEFAULT_LIMITS> = {},
): (markup: string) => unknown {
  const operation = operationOf('Grade', ...parameters);
  const reader = new EnvelopeReader(NAMESPACE, { ...DEFAULT_LIMITS, ...limits }, READING_RULES, [operation]);
  return (markup) => {
    const text = envelope11(`<Grade xmlns="${NAMESPACE}" xmlns:t="${NAMESPACE}">${markup}</Grade>`);
    const { error, parameters: values } = reader.read(text, operation, () => undefined);
    return error?.message ?? values;
  };
}
