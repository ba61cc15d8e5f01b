// The wire contract, sections 8.1 and 8.2: what the descriptions say is what is served.

import { createAsmx, type EndpointDefinition } from '../../../src/asmx';
import { startAsmxServer } from '../../harness/asmx-server';
import { handlerOf, type RecordedCall, recordingEndpoints } from '../../harness/recording-endpoints';
import { type ContractOperations, readContract, type Typed } from '../../harness/read-contract';
import {
  call,
  ENDPOINT_NAMES,
  envelope11,
  envelope12,
  form,
  get,
  readDescription,
  soap11,
  soap12,
} from '../../../scripts/harness';
import { useServer } from '../../harness/use-server';

interface Operation {
  readonly parameters: readonly Typed[];
  readonly result?: 'string' | 'ArrayOfStudentInfo';
}

/** The contract with the callers, as they have had it all along. */
const CONTRACT: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  AuthCodeSending: {
    AuthCode: {
      parameters: [
        ['code', 'string'],
        ['phone', 'string'],
      ],
    },
  },
  Scheduals: { GetExamTableByExamId: { parameters: [['ExamId', 'string']] } },
  GetNoteType: { GetStudentsNoteType: { parameters: [] } },
  NotificationNotes: {
    GetStudentSchool: {
      parameters: [
        ['school_base_url', 'string'],
        ['show_active', 'char'],
      ],
      result: 'ArrayOfStudentInfo',
    },
    SendMarkNotes: {
      parameters: [
        ['id', 'string'],
        ['id_class', 'string'],
        ['baseUrlSchool', 'string'],
      ],
    },
  },
  PushNotificationMobile: { GetTokenDevice: { parameters: [['id', 'string']], result: 'string' } },
};

const TYPES: Readonly<Record<string, readonly Typed[]>> = {
  ArrayOfStudentInfo: [['StudentInfo', 'StudentInfo[]']],
  StudentInfo: [
    ['id_student', 'string'],
    ['fullName', 'string'],
    ['id_device', 'string'],
    ['ShowActive', 'string'],
  ],
};

it('has a description for each endpoint of the old server', () => {
  expect(ENDPOINT_NAMES).toEqual(expect.arrayContaining(Object.keys(CONTRACT)));
});

describe.each(Object.entries(CONTRACT))('the description of %s', (endpoint, operations) => {
  const contract = readContract(readDescription(endpoint));

  it('has the operations, parameters and results of the contract over SOAP', () => {
    const expected = Object.entries(operations).map(([name, { parameters, result }]) => [
      name,
      { parameters, results: result === undefined ? [] : [[`${name}Result`, result]] },
    ]);
    expect(contract.portTypes[`${endpoint}Soap`]).toEqual(Object.fromEntries(expected));
  });

  it.each(['HttpGet', 'HttpPost'])('has the same over %s, where every parameter is a string', (binding) => {
    const expected = Object.entries(operations).map(([name, { parameters, result }]) => [
      name,
      {
        parameters: parameters.map(([parameter]) => [parameter, 'string']),
        results: result === undefined ? [] : [['Body', result]],
      },
    ]);
    expect(contract.portTypes[endpoint + binding]).toEqual(Object.fromEntries(expected));
  });

  it('has four bindings with all operations, and a port for each', () => {
    const bindings = ['Soap', 'Soap12', 'HttpGet', 'HttpPost'].map((binding) => endpoint + binding);
    const names = Object.keys(operations);
    expect(contract.bindings).toEqual(Object.fromEntries(bindings.map((binding) => [binding, names])));
    expect(contract.ports).toEqual(Object.fromEntries(bindings.map((binding) => [binding, binding])));
  });

  it('has one action per operation and SOAP version', () => {
    const actions = Object.keys(operations).map((name) => `http://tempuri.org/${name}`);
    expect([...contract.actions].sort()).toEqual([...actions, ...actions].sort());
  });

  it('has no types other than those of the contract', () => {
    const expected = Object.values(operations).some(({ result }) => result === 'ArrayOfStudentInfo')
      ? TYPES
      : {};
    expect(contract.types).toEqual(expected);
  });
});

describe('the service offers what its descriptions define', () => {
  const calls: RecordedCall[] = [];
  const service = useServer(() => startAsmxServer({ endpoints: recordingEndpoints(calls) }));

  beforeEach(() => {
    calls.length = 0;
  });

  const described = ENDPOINT_NAMES.flatMap((endpoint) => {
    const operations: ContractOperations =
      readContract(readDescription(endpoint)).portTypes[`${endpoint}Soap`] ?? {};
    return Object.entries(operations).map(([operation, { parameters, results }]) => ({
      endpoint,
      operation,
      parameters,
      results,
    }));
  });

  it.each(described)(
    '$operation, with exactly its parameters, over all four bindings',
    async ({ endpoint, operation, parameters, results }) => {
      // SOAP carries a char as its decimal code, the other bindings as it is.
      const overSoap = parameters.map(
        ([name, type]) => [name, type === 'char' ? '89' : `v-${name}`] as const,
      );
      const values = parameters.map(([name, type]) => [name, type === 'char' ? 'Y' : `v-${name}`] as const);
      const element = call(operation, Object.fromEntries(overSoap));
      const pairs = values.map(([name, value]) => `${name}=${value}`).join('&');

      const answers = [
        await service.ask(soap11(endpoint, operation, envelope11(element))),
        await service.ask(soap12(endpoint, envelope12(element))),
        await service.ask(get(endpoint, operation, pairs)),
        await service.ask(form(endpoint, operation, pairs)),
      ];

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const args = Object.fromEntries(values);
      expect(calls).toEqual(
        ['soap11', 'soap12', 'get', 'post'].map((binding) => ({ operation, args, binding })),
      );
      for (const [name] of results) expect(answers[0]?.body).toContain(`<${name}`);
    },
  );
});

it('the service lists its contracts in order', async () => {
  const { services } = await createAsmx({ endpoints: recordingEndpoints([]) });
  expect(services.map(({ name }) => name)).toEqual(ENDPOINT_NAMES);
});

describe('the handlers given to the service', () => {
  function endpoint(handlers: EndpointDefinition['handlers']): EndpointDefinition {
    return { description: readDescription('NotificationNotes'), handlers };
  }

  const nothing = handlerOf(() => undefined);

  it('must cover every operation of the description', async () => {
    const endpoints = [endpoint({ GetStudentSchool: nothing })];
    await expect(createAsmx({ endpoints })).rejects.toThrow(/SendMarkNotes/);
  });

  it('must not contain an operation that the description lacks', async () => {
    const endpoints = [endpoint({ GetStudentSchool: nothing, SendMarkNotes: nothing, SendMarks: nothing })];
    await expect(createAsmx({ endpoints })).rejects.toThrow(/SendMarks\b/);
  });

  it.each(['', 'no XML', '<a/>', '<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"/>'])(
    'require a valid description: %s',
    async (description) => {
      await expect(createAsmx({ endpoints: [{ description, handlers: {} }] })).rejects.toThrow(/./);
    },
  );

  it('require a complete description', async () => {
    const description = readDescription('NotificationNotes');
    for (const length of [description.length / 2, description.length - 10]) {
      const cut = {
        ...endpoint({ GetStudentSchool: nothing, SendMarkNotes: nothing }),
        description: description.slice(0, length),
      };
      await expect(createAsmx({ endpoints: [cut] })).rejects.toThrow(/./);
    }
  });
});

describe('a description with an extra parameter', () => {
  const calls: RecordedCall[] = [];
  const service = useServer(() => {
    const [first] = recordingEndpoints(calls);
    if (first === undefined) throw new Error('No endpoint');
    const description = first.description
      .replace(/(<s:element [^>]*name="phone"[^>]*\/>)/, '$1<s:element name="country" type="s:string" />')
      .replaceAll(
        '<wsdl:part name="phone" type="s:string" />',
        '$&<wsdl:part name="country" type="s:string" />',
      );
    return startAsmxServer({ endpoints: [{ ...first, description }] });
  });

  it('is served as described, without a change to the code', async () => {
    const element = call('AuthCode', { country: 'TR' });
    await service.ask(soap11('AuthCodeSending', 'AuthCode', envelope11(element)));
    await service.ask(get('AuthCodeSending', 'AuthCode', 'code=1&phone=2&country=TR'));
    expect(calls.map(({ args }) => args)).toEqual([
      { code: null, phone: null, country: 'TR' },
      { code: '1', phone: '2', country: 'TR' },
    ]);
    expect((await service.ask(get('AuthCodeSending', 'AuthCode', 'code=1&phone=2'))).body).toBe(
      'Missing parameter: country.\r\n',
    );
  });
});

describe('a record', () => {
  const service = useServer(() => {
    const endpoints = recordingEndpoints([]).map((endpoint) =>
      'GetStudentSchool' in endpoint.handlers
        ? {
            ...endpoint,
            handlers: {
              ...endpoint.handlers,
              GetStudentSchool: handlerOf(() => [
                { secret: 's', ShowActive: 'Y', id_device: 'D', id_student: '1' },
              ]),
            },
          }
        : endpoint,
    );
    return startAsmxServer({ endpoints });
  });

  it('is written field by field in the order of the description, without extra fields', async () => {
    const element = call('GetStudentSchool', { school_base_url: 's', show_active: '89' });
    const { body } = await service.ask(soap11('NotificationNotes', 'GetStudentSchool', envelope11(element)));
    expect(body).toContain(
      '<StudentInfo><id_student>1</id_student><id_device>D</id_device><ShowActive>Y</ShowActive></StudentInfo>',
    );
  });
});
