import {
  emptyOf,
  escapeXml,
  fault11,
  fault12,
  FORM_VOID,
  formError,
  formOk,
  formTokenIs,
  FRESH,
  ok11,
  ok12,
  resultOf,
  seen,
  type WireAnswer,
} from '../../harness/asmx-answers';
import { NAMESPACE, type RawResponse } from '../../../scripts/harness';
import { descendants, parseXml, type XmlElement } from '../../harness/xml-tree';
import type { Binding } from '../../../src/asmx';
import type { DescribedOperation } from '../../harness/contract-operations';
import { firstDifference } from '../first-difference';
import { type Fault, NOTHING, type Outcome, type Student } from '../outcome';

const FIELDS = ['id_student', 'fullName', 'id_device', 'ShowActive'] as const;
const LIST_ROOT =
  'ArrayOfStudentInfo xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
  `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="${NAMESPACE}"`;

/**
 * Reads an answer that must be the contract's to the byte.
 *
 * @throws Error when it says its outcome in other bytes than those of the contract
 */
export function readExactAnswer(
  binding: Binding,
  operation: DescribedOperation,
  response: RawResponse,
): Outcome {
  const answer = seen(response);
  const isForm = binding === 'get' || binding === 'post';
  const outcome = isForm ? readForm(operation, answer) : readSoap(operation, answer);
  const exact = isForm ? writeForm(outcome) : writeSoap(binding === 'soap11', operation.name, outcome);
  const different = firstDifference(JSON.stringify(exact), JSON.stringify(answer));
  if (different !== undefined) throw new Error(different);
  return outcome;
}

/** A fault as it stands on the wire: here the type is the HTTP status. */
export function faultByHand(binding: Binding, text: string): Fault {
  const codes = { soap11: 'Client', soap12: 'Sender', get: '', post: '' };
  const detail = binding === 'soap11' || binding === 'soap12' ? '' : null;
  return { kind: 'fault', type: 'HTTP 500', code: codes[binding], text, detail };
}

function readSoap(operation: DescribedOperation, answer: WireAnswer): Outcome {
  const root = parse(answer);
  const [fault] = descendants(root, 'Fault');
  if (fault !== undefined) {
    const code = textIn(fault, 'faultcode') ?? textIn(fault, 'Value') ?? '';
    const text = textIn(fault, 'faultstring') ?? textIn(fault, 'Text') ?? '';
    const detail = textIn(fault, 'detail') ?? textIn(fault, 'Detail') ?? null;
    const type = `HTTP ${String(answer.status)}`;
    return { kind: 'fault', type, code: code.replace(/^soap:/, ''), text, detail };
  }
  const [result] = descendants(root, `${operation.name}Result`);
  return readResult(operation, result);
}

function readForm(operation: DescribedOperation, answer: WireAnswer): Outcome {
  if (answer.status !== 200) {
    const type = `HTTP ${String(answer.status)}`;
    return { kind: 'fault', type, code: '', text: answer.body.replace(/\r\n$/, ''), detail: null };
  }
  return readResult(operation, answer.body === '' ? undefined : parse(answer));
}

function parse({ status, body }: WireAnswer): XmlElement {
  try {
    return parseXml(body);
  } catch (error) {
    throw new Error(`HTTP ${String(status)} with ${JSON.stringify(body)}`, { cause: error });
  }
}

function readResult({ result: declared }: DescribedOperation, result: XmlElement | undefined): Outcome {
  if (declared === undefined) return NOTHING;
  if (declared.type.kind !== 'list') return { kind: 'text', text: result?.text ?? null };
  const students = result?.children.map((student) => FIELDS.map((name) => textIn(student, name) ?? null));
  return { kind: 'students', students: students ?? [] };
}

function textIn(element: XmlElement, name: string): string | undefined {
  return descendants(element, name)[0]?.text;
}

function writeSoap(isSoap11: boolean, operation: string, outcome: Outcome): WireAnswer {
  const ok = isSoap11 ? ok11 : ok12;
  switch (outcome.kind) {
    case 'nothing':
      return ok(emptyOf(operation));
    case 'text':
      return ok(resultOf(operation, escapeXml(outcome.text ?? '')));
    case 'students':
      return ok(
        resultOf(operation, outcome.students.map((student) => studentMarkup(student, '', '')).join('')),
      );
    case 'fault':
      return (isSoap11 ? fault11 : fault12)(outcome.code, outcome.text, { cacheControl: FRESH });
  }
}

function writeForm(outcome: Outcome): WireAnswer {
  switch (outcome.kind) {
    case 'nothing':
      return FORM_VOID;
    case 'text':
      return outcome.text === ''
        ? formOk(`<string xmlns="${NAMESPACE}" />`)
        : formTokenIs(outcome.text ?? '');
    case 'students': {
      const students = outcome.students.map((student) => studentMarkup(student, '\n  ', '\n    '));
      return formOk(
        students.length === 0
          ? `<${LIST_ROOT} />`
          : `<${LIST_ROOT}>${students.join('')}\n</ArrayOfStudentInfo>`,
      );
    }
    case 'fault':
      return formError(outcome.text, isFoundByBinding(outcome) ? 'private' : FRESH);
  }
}

/** Errors found before the operation runs are cached otherwise than those of the operation. */
function isFoundByBinding({ text }: Fault): boolean {
  return /^(Missing parameter:|Cannot convert )/.test(text);
}

/** @param before - what stands before the element, `inside` what stands before each of its fields */
function studentMarkup(student: Student, before: string, inside: string): string {
  const fields = FIELDS.map((name, index) => {
    const text = escapeXml(student[index] ?? '');
    return `${inside}<${name}${text === '' ? ' />' : `>${text}</${name}>`}`;
  });
  return `${before}<StudentInfo>${fields.join('')}${before}</StudentInfo>`;
}
