/* The folder of `reproduce`: its request is in reproduce.json, which is locked while a process
 * works in the folder, on this machine or on another one that sees the same file system. */
#ifndef F2L_REPRODUCE_FOLDER_H
#define F2L_REPRODUCE_FOLDER_H

#include "cli/reproduce/reproduce_request.h"

#define F2L_REPRODUCE_FILE "reproduce.json"

/* The required contents of a folder when it is opened. */
typedef enum f2l_reproduce_begin {
    F2L_REPRODUCE_NEW, /* the folder must be new or empty, or have an empty request alone, which a
                        * process left that was killed early: F2L_EEXIST */
    F2L_REPRODUCE_RESUME,  /* it must have the request: F2L_EDOMAIN */
    F2L_REPRODUCE_CONTINUE /* it must be new, empty or have the request; folders above it are made
                            */
} f2l_reproduce_begin;

/* Makes or takes up the folder and locks it. *lock is a file descriptor, -1 after a failure; the
 * lock ends when it is closed, and with the process in every case. F2L_EDOMAIN: another process
 * works in the folder, or the folder has another request. A reproduce.json that a killed process
 * left half written is completed, and temporary files of outcomes and pages are removed. */
f2l_status f2l_reproduce_folder_open(int *lock, const char *folder, f2l_reproduce_begin begin,
                                     const f2l_reproduce_request *request, f2l_error *err);

/* Reads the reproduce.json of a folder. F2L_EDOMAIN: the folder is not a folder of reproduce. Not
 * for a folder that this process has open, whose lock would end. */
f2l_status f2l_reproduce_folder_read(f2l_reproduce_request *request, const char *folder,
                                     f2l_error *err);

#endif
