import type { SchoolRows } from '../../scripts/harness';

/** Two schools, and one row of everything that hangs together. */
export const SMALL_SCHOOL = {
  schools: ['http://a.example,Okul A', 'http://b.example,Okul B'],
  classes: ['http://a.example,1A,Bir A'],
  students: [
    'http://a.example,S1,Çağrı Şimşek,Y,1A',
    'http://a.example,S2,فاطمة,Y,',
    'http://a.example,S3,Gone,N,1A',
    'http://b.example,S1,Elsewhere,Y,',
  ],
  devices: [
    'D1,http://a.example,S1,token-1,android,2026-01-02T10:00:00Z',
    'D2,http://a.example,S1,token-2,ios,2026-01-03T10:00:00Z',
    'D3,http://b.example,S1,token-3,,',
  ],
  exams: ['E1,First', 'E2,Empty'],
  exam_entries: [
    'E1,Maths,2026-12-02,09:00,90',
    'E1,Art,2026-12-01,13:30,40',
    'E1,Arabic,2026-12-01,09:00,60',
  ],
  note_types: ['2,Oral', '1,Written'],
  notes: ['http://a.example,N1,1,Title,Text'],
} as const satisfies SchoolRows;
