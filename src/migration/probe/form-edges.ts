import { FORM, getRequest, postRequest, type Probe } from './requests';
import { form, namesOf, pairsOf, type Subject } from './subject';

/** Calls by a query and by a form at the edges of what a server takes (wire contract, sections 1 and 4). */
export function formEdges(subject: Subject): readonly Probe[] {
  const { name } = subject.operation;
  const usual = form(pairsOf(subject));
  return [
    ...fieldEdges(subject).flatMap(([what, fields]): Probe[] => [
      [`get ${what}`, getRequest(subject, name, fields)],
      [`post ${what}`, postRequest(subject, name, fields)],
    ]),
    ...TYPES.map(([what, type]): Probe => [`post ${what}`, postRequest(subject, name, usual, type)]),
    ['post in JSON', postRequest(subject, name, JSON.stringify(subject.values), 'application/json')],
    ['post with a query', postRequest(subject, `${name}?${usual}`, usual)],
    ...[name.toLowerCase(), `${name}/`, `${name}/x`, `${name}%20`, 'NoSuchOperation', '', 'js'].flatMap(
      (other): Probe[] => [
        [`get of "${other}"`, getRequest(subject, other, usual)],
        [`post of "${other}"`, postRequest(subject, other, usual)],
      ],
    ),
  ];
}

/** An empty one leaves the header out. */
const TYPES: readonly (readonly [string, string])[] = [
  ['without a type', ''],
  ['with a charset', `${FORM}; charset=iso-8859-9`],
  ['with a charset that there is not', `${FORM}; charset=no-such-charset`],
  ['of type text/plain', 'text/plain'],
  ['of type text/xml', 'text/xml; charset=utf-8'],
  ['of type multipart/form-data', 'multipart/form-data; boundary=a'],
];

function fieldEdges(subject: Subject): readonly (readonly [string, string])[] {
  const names = namesOf(subject.operation);
  const all = form(pairsOf(subject));
  return [
    ...names.flatMap((name): (readonly [string, string])[] => {
      const others = pairsOf(
        subject,
        names.filter((other) => other !== name),
      );
      const raw = (value: string) =>
        [form(others), `${name}=${value}`].filter((part) => part !== '').join('&');
      return [
        [`without ${name}`, form(others)],
        [`with an empty ${name}`, raw('')],
        [`with ${name} without a sign`, [form(others), name].filter((part) => part !== '').join('&')],
        [`with ${name} in %u escapes`, raw('%u015F%u00fc')],
        [`with ${name} in UTF-8`, raw('%C5%9F+a')],
        [`with ${name} in iso-8859-9`, raw('%FE')],
        [`with a broken escape in ${name}`, raw('%zz%4')],
        [`with markup in ${name}`, raw('%3Ca%3E%26%22')],
      ];
    }),
    ['without parameters', ''],
    ['with names in capitals', form(pairsOf(subject).map(([name, value]) => [name.toUpperCase(), value]))],
    ['with parameters twice', [all, all].join('&')],
    ['with parameters in another order', form([...pairsOf(subject)].reverse())],
    ['with a parameter that there is not', [all, 'noSuchParameter=1'].join('&')],
    ['with empty pairs', `&&${all}&=&`],
  ];
}
