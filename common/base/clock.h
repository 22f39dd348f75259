/* clock.h - the one place that asks what time it is; never for what stands on stdout as a result of HypoGPU. */
#ifndef CLOCK_H
#define CLOCK_H

/* Seconds since some moment: on the wall; of this process's processor time, of all its threads; of this thread's. */
double clock_wall_s(void);
double clock_process_s(void);
double clock_thread_s(void);

#endif
