import { makeDatabases, type SchoolDatabases } from '../../scripts/harness/load';
import { get, type RawRequest } from '../../scripts/harness';

export interface LargeSchool {
  /** Settings that lead the service to a database with schools of 30, 1,000 and 10,000 students. */
  readonly settings: Readonly<Record<string, string>>;
  /** Asks for the students of such a school, by their number. */
  list(students: number): RawRequest;
}

/** Loads large schools before the tests of the surrounding block, which they only read. */
export function useLargeSchool(): LargeSchool {
  let databases: SchoolDatabases | undefined;
  beforeAll(async () => {
    databases = await makeDatabases({ postgres: false });
  }, 120_000);
  afterAll(() => {
    databases?.close();
  });
  return {
    get settings() {
      if (databases === undefined) throw new Error('The school is there only inside the tests of its block');
      return databases.sqlite;
    },
    list: (students) => {
      const school = `http://s${String(students).padStart(5, '0')}-000.example`;
      return get('NotificationNotes', 'GetStudentSchool', `school_base_url=${school}&show_active=Y`);
    },
  };
}
