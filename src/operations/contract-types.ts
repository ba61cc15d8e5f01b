// Written by `npm run contract-types` from service descriptions: what is changed here is lost.

export type StudentInfo = Readonly<{
  id_student: string | null;
  fullName: string | null;
  id_device: string | null;
  ShowActive: string | null;
}>;

/** Which service offers each operation, and what its parameters are called. */
export const OPERATIONS = {
  AuthCode: { service: 'AuthCodeSending', parameters: ['code', 'phone'] },
  GetStudentsNoteType: { service: 'GetNoteType', parameters: [] },
  GetStudentSchool: { service: 'NotificationNotes', parameters: ['school_base_url', 'show_active'] },
  SendMarkNotes: { service: 'NotificationNotes', parameters: ['id', 'id_class', 'baseUrlSchool'] },
  GetTokenDevice: { service: 'PushNotificationMobile', parameters: ['id'] },
  GetExamTableByExamId: { service: 'Scheduals', parameters: ['ExamId'] },
} as const;

/** Arguments and result of each operation. */
export interface ContractOperations {
  AuthCode: { parameters: Readonly<{ code: string | null; phone: string | null }>; result: undefined };
  GetStudentsNoteType: { parameters: Readonly<Record<string, never>>; result: undefined };
  GetStudentSchool: {
    parameters: Readonly<{ school_base_url: string | null; show_active: string }>;
    result: readonly (StudentInfo | null)[] | null;
  };
  SendMarkNotes: {
    parameters: Readonly<{ id: string | null; id_class: string | null; baseUrlSchool: string | null }>;
    result: undefined;
  };
  GetTokenDevice: { parameters: Readonly<{ id: string | null }>; result: string | null };
  GetExamTableByExamId: { parameters: Readonly<{ ExamId: string | null }>; result: undefined };
}
