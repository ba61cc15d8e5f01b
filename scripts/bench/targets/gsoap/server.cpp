// gSOAP's server for the bench: its own runtime and the code that it generates from our service descriptions, with the
// answers of bench-handlers.ts. Threads stay when a connection ends, so that their processor time can be read.
//
// Usage: server LISTS, a file with a line for each student: school, id, name and device, with tabs between.
#include "PushNotificationMobileSoap.nsmap"
#include "soapH.h"

#include <csignal>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

// More than the bench has connections.
static const int THREADS = 128;
static const int SECONDS_TO_READ = 30;

struct Student {
  std::string id, name, device;
};

static std::unordered_map<std::string, std::vector<Student>> schools;

static void read_lists(const char *path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string school;
    Student student;
    std::getline(fields, school, '\t');
    std::getline(fields, student.id, '\t');
    std::getline(fields, student.name, '\t');
    std::getline(fields, student.device, '\t');
    schools[school].push_back(student);
  }
}

// What is made so is freed with the request.
static std::string *text(struct soap *soap, const std::string &value) {
  std::string *made = soap_new_std__string(soap);
  *made = value;
  return made;
}

int __tempuri__GetTokenDevice(struct soap *soap, _tempuri__GetTokenDevice *in, _tempuri__GetTokenDeviceResponse &out) {
  out.GetTokenDeviceResult = text(soap, in->id ? "TOKEN-" + *in->id : "");
  return SOAP_OK;
}

int __tempuri__GetStudentSchool(struct soap *soap, _tempuri__GetStudentSchool *in,
                                _tempuri__GetStudentSchoolResponse &out) {
  const auto *url = in->school_USCOREbase_USCOREurl;
  const auto found = url ? schools.find(*url) : schools.end();
  auto *list = soap_new_tempuri__ArrayOfStudentInfo(soap);
  if (found != schools.end()) {
    list->StudentInfo.reserve(found->second.size());
    for (const Student &student : found->second) {
      auto *made = soap_new_tempuri__StudentInfo(soap);
      made->id_USCOREstudent = text(soap, student.id);
      made->fullName = text(soap, student.name);
      made->id_USCOREdevice = text(soap, student.device);
      made->ShowActive = text(soap, "Y");
      list->StudentInfo.push_back(made);
    }
  }
  out.GetStudentSchoolResult = list;
  return SOAP_OK;
}

int __tempuri__SendMarkNotes(struct soap *, _tempuri__SendMarkNotes *, _tempuri__SendMarkNotesResponse &) {
  return SOAP_OK;
}

// The same by the binding of SOAP 1.2, which the generator gives names of their own.
int __tempuri__GetTokenDevice_(struct soap *soap, _tempuri__GetTokenDevice *in, _tempuri__GetTokenDeviceResponse &out) {
  return __tempuri__GetTokenDevice(soap, in, out);
}

int __tempuri__GetStudentSchool_(struct soap *soap, _tempuri__GetStudentSchool *in,
                                 _tempuri__GetStudentSchoolResponse &out) {
  return __tempuri__GetStudentSchool(soap, in, out);
}

int __tempuri__SendMarkNotes_(struct soap *soap, _tempuri__SendMarkNotes *in, _tempuri__SendMarkNotesResponse &out) {
  return __tempuri__SendMarkNotes(soap, in, out);
}

static void serve(struct soap *listener) {
  struct soap *soap = soap_copy(listener);
  for (;;) {
    if (!soap_valid_socket(soap_accept(soap))) continue;
    soap_serve(soap);
    soap_destroy(soap);
    soap_end(soap);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  std::signal(SIGPIPE, SIG_IGN);
  read_lists(argv[1]);
  // Without SOAP_XML_TREE it looks in each answer for objects that come twice; without SOAP_C_UTFSTRING names lose letters.
  struct soap *listener = soap_new1(SOAP_IO_KEEPALIVE | SOAP_XML_TREE | SOAP_C_UTFSTRING);
  listener->bind_flags = SO_REUSEADDR;
  listener->max_keep_alive = 1 << 30;
  listener->send_timeout = listener->recv_timeout = SECONDS_TO_READ;
  // The memory of a request stays until its connection ends, otherwise.
  listener->fserveloop = [](struct soap *soap) -> int {
    soap_destroy(soap);
    soap_end(soap);
    return SOAP_OK;
  };
  if (!soap_valid_socket(soap_bind(listener, "127.0.0.1", 0, 128))) {
    soap_print_fault(listener, stderr);
    return 1;
  }
  sockaddr_in address;
  socklen_t size = sizeof address;
  getsockname(listener->master, reinterpret_cast<sockaddr *>(&address), &size);
  std::cerr << "Listening on http://127.0.0.1:" << ntohs(address.sin_port) << std::endl;
  std::vector<std::thread> threads;
  for (int at = 0; at < THREADS; at++) threads.emplace_back(serve, listener);
  for (std::thread &thread : threads) thread.join();
}
