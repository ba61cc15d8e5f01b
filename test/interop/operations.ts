/** The contract as callers know it: where an operation is, what it takes in this order, what it returns. */
export const OPERATIONS = {
  AuthCode: { endpoint: 'AuthCodeSending', parameters: ['code', 'phone'], result: 'nothing' },
  GetExamTableByExamId: { endpoint: 'Scheduals', parameters: ['ExamId'], result: 'nothing' },
  GetStudentsNoteType: { endpoint: 'GetNoteType', parameters: [], result: 'nothing' },
  GetStudentSchool: {
    endpoint: 'NotificationNotes',
    parameters: ['school_base_url', 'show_active'],
    result: 'students',
  },
  SendMarkNotes: {
    endpoint: 'NotificationNotes',
    parameters: ['id', 'id_class', 'baseUrlSchool'],
    result: 'nothing',
  },
  GetTokenDevice: { endpoint: 'PushNotificationMobile', parameters: ['id'], result: 'text' },
} as const;

export type OperationName = keyof typeof OPERATIONS;

/** Keys of an object literal are the names its type lists; Object.keys only says `string`. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

export const BINDINGS = ['SOAP 1.1', 'SOAP 1.2', 'HTTP GET', 'HTTP POST'] as const;

export type BindingName = (typeof BINDINGS)[number];

export type SoapBindingName = Extract<BindingName, `SOAP ${string}`>;
