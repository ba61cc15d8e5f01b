import type { RecordValue } from '../../src/asmx';

type Students = readonly (RecordValue | null)[] | null;

const SPECIAL: RecordValue = {
  id_student: '<1>&"\'',
  fullName: '\u0130lker \u015Eahin \u{1F600}',
  id_device: ' a\tb\r\nc\rd\ne ',
  ShowActive: ']]>',
};

const LISTS = new Map<string, Students>([
  ['null', null],
  ['empty', students(0)],
  ['one', students(1)],
  ['30', students(30)],
  ['nullfields', [{ id_student: '1', fullName: null, id_device: '', ShowActive: 'Y' }, null]],
  ['special', [SPECIAL]],
]);

/**
 * The students of the reference service for a school.
 *
 * @param showActive - one UTF-16 unit, or null where the request had none: then U+0000, .NET's default char
 */
export function studentsFor(school: string | null, showActive: string | null): Students {
  if (school === 'echo') return [echo(showActive ?? '\0')];
  const list = school === null ? undefined : LISTS.get(school);
  return list === undefined ? students(2) : list;
}

function students(count: number): readonly RecordValue[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1);
    return {
      id_student: `S${number}`,
      fullName: `Student ${number}`,
      id_device: `DEV-${number}`,
      ShowActive: 'Y',
    };
  });
}

function echo(showActive: string): RecordValue {
  const code = String(showActive.charCodeAt(0));
  return { id_student: '1', fullName: 'char', id_device: 'echo', ShowActive: code };
}
