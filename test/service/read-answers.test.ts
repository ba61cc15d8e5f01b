import { call, envelope11, form, get, soap11 } from '../../scripts/harness';
import { type ServiceHere, useServicesHere } from './use-services-here';

const JSON_TYPE = 'application/json; charset=utf-8';

describe('the reads without a result, with READ_ANSWERS=json', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  beforeAll(async () => {
    service = await services.start({ settings: { READ_ANSWERS: 'json' } });
  });

  it.each([
    ['GET', get('Scheduals', 'GetExamTableByExamId', 'ExamId=E1')],
    ['POST', form('Scheduals', 'GetExamTableByExamId', 'ExamId=E1')],
  ])(
    'answer a %s with the exam in the format of the phone apps, entries by date and time',
    async (_verb, request) => {
      const answer = await service.ask(request);
      expect(answer.status).toBe(200);
      expect(answer.header('Content-Type')).toBe(JSON_TYPE);
      const { status, message, data } = JSON.parse(answer.text) as {
        status: number;
        message: string;
        data: Record<string, string>[];
      };
      expect({ status, message }).toEqual({ status: 200, message: 'OK' });
      expect(data.length).toBeGreaterThan(1);
      for (const entry of data) {
        expect(entry).toEqual({
          examDate: expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/) as string,
          subjectName: expect.any(String) as string,
          examId: 'E1',
          startTime: expect.stringMatching(/^\d\d:\d\d$/) as string,
          duration: expect.stringMatching(/^\d+$/) as string,
          examName: expect.any(String) as string,
        });
      }
      const times = data.map(({ examDate = '', startTime = '' }) => {
        const [month, day, year] = examDate.split('/');
        return [year, month, day, startTime].join();
      });
      expect(times).toEqual([...times].sort());
    },
  );

  it('report a missing exam with HTTP status 200', async () => {
    const answer = await service.ask(get('Scheduals', 'GetExamTableByExamId', 'ExamId=nope'));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ status: 404, message: 'Exam not found.', data: [] });
  });

  it('answer with the note types', async () => {
    const answer = await service.ask(get('GetNoteType', 'GetStudentsNoteType', ''));
    const document = JSON.parse(answer.text) as { data: unknown[] };
    expect(document).toEqual({ status: 200, message: 'OK', data: expect.any(Array) as unknown[] });
    expect(document.data.length).toBeGreaterThan(0);
    expect(document.data[0]).toEqual({
      id: expect.any(String) as string,
      name: expect.any(String) as string,
    });
  });

  it('answer with nothing over SOAP, as before', async () => {
    const request = soap11(
      'Scheduals',
      'GetExamTableByExamId',
      envelope11(call('GetExamTableByExamId', { ExamId: 'E1' })),
    );
    const answer = await service.ask(request);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('<GetExamTableByExamIdResponse xmlns="http://tempuri.org/" />');
  });
});
