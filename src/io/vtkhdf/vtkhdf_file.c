/* SPDX-License-Identifier: GPL-2.0-or-later
 * The structure of a VTKHDF file, through HDF5.
 *
 *   VTKHDF                attributes Version, Type, Origin, GridDescription
 *   VTKHDF/FieldData      arrays time and step
 *   VTKHDF/LevelN         attribute Spacing, array AMRBox [box][6]
 *   VTKHDF/LevelN/CellData/NAME   the values of one box after the other; of vectors [cell][3]
 *
 * or, in 2D and where cells are curved:
 *
 *   VTKHDF                attributes Version, Type; arrays NumberOfPoints, NumberOfCells,
 *                         NumberOfConnectivityIds, Points, Connectivity, Offsets, Types
 *   VTKHDF/CellData/NAME  the values of all cells
 *
 * Only rank 0 runs this code, so any build of HDF5 is suitable, with MPI or without. With
 * collective calls of a parallel HDF5, a rank whose disk is full would leave the others waiting. */
#include "vtkhdf_file.h"

#include "io/files/file_tools.h"
#include "vtkhdf.h"

#if OAK_HAVE_HDF5

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_MAJOR = 1, FORMAT_MINOR = 0, ALIGN_FROM = 1 << 16, ALIGN = 4096 };

oak_status_t oak_vtkhdf_supported(const char *what) {
  (void)what;
  return OAK_OK;
}

/* Handles are negative after a failure. Each function below accepts such handles, so failures are
 * looked at only in the last function. */

static herr_t put_attribute(hid_t where, const char *name, hid_t type, hsize_t count,
                            const void *value) {
  const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  herr_t bad = H5Awrite(attribute, type, value);
  bad |= H5Aclose(attribute);
  return bad | H5Sclose(space);
}

static herr_t put_text(hid_t where, const char *name, const char *text) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  herr_t bad = H5Tset_size(type, strlen(text));
  bad |= H5Tset_strpad(type, H5T_STR_NULLPAD);
  bad |= put_attribute(where, name, type, 0, text);
  return bad | H5Tclose(type);
}

/** How arrays are made: without the time of day, so that equal runs write equal files. */
static hid_t array_properties(void) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  return H5Pset_obj_track_times(how, 0) < 0 ? -1 : how;
}

/** An array of one value. */
static herr_t put_value(hid_t where, const char *name, hid_t type, const void *value) {
  const hsize_t one = 1;
  const hid_t space = H5Screate_simple(1, &one, NULL), how = array_properties();
  const hid_t array = H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  herr_t bad = H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  bad |= H5Dclose(array);
  bad |= H5Pclose(how);
  return bad | H5Sclose(space);
}

/** An array whose values are written later. \a place: where they go; \a unit: "" if there is none.
 */
static herr_t reserve(hid_t where, const char *name, const char *unit, hid_t type, int rank,
                      const hsize_t *count, int64_t *place) {
  const hid_t space = H5Screate_simple(rank, count, NULL), how = array_properties();
  herr_t bad = H5Pset_layout(how, H5D_CONTIGUOUS);
  bad |= H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  bad |= H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  const hid_t array = H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  const haddr_t at = array < 0 ? HADDR_UNDEF : H5Dget_offset(array);
  *place = (int64_t)at;
  if (at == HADDR_UNDEF && H5Sget_simple_extent_npoints(space) > 0) bad = -1;
  if (*unit) bad |= put_text(array, "units", unit);
  bad |= H5Dclose(array);
  bad |= H5Pclose(how);
  return bad | H5Sclose(space);
}

static hid_t new_group(hid_t where, const char *name) {
  return H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/** \a place [narray] */
static herr_t reserve_values(const oak_grid_view_t *view, const oak_vtkhdf_content_t *content,
                             hid_t where, int64_t cells, int64_t *place) {
  const hid_t type = view->value_bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  const hsize_t count[2] = {(hsize_t)cells, 3};
  herr_t bad = 0;
  for (const oak_view_array_t *a = content->array; a < content->array + content->narray; a++)
    bad |= reserve(where, a->name, a->unit, type, a->count == 1 ? 1 : 2, count, place++);
  return bad;
}

static herr_t put_level(const oak_grid_view_t *view, hid_t where,
                        const oak_vtkhdf_content_t *content, int number, int64_t *place) {
  const oak_vtkhdf_level_t *level = &content->level[number];
  char name[32];
  snprintf(name, sizeof name, "Level%d", number);
  const hid_t group = new_group(where, name), cells = new_group(group, "CellData");
  const hsize_t boxes[2] = {(hsize_t)level->boxes, 6};
  herr_t bad = put_attribute(group, "Spacing", H5T_NATIVE_DOUBLE, 3, level->spacing);
  bad |= reserve(group, "AMRBox", "", H5T_NATIVE_INT32, 2, boxes, &place[0]);
  bad |= reserve_values(view, content, cells, level->cells, &place[1]);
  bad |= H5Gclose(new_group(group, "FieldData")); /* ParaView 5.11 complains without them */
  bad |= H5Gclose(new_group(group, "PointData"));
  bad |= H5Gclose(cells);
  return bad | H5Gclose(group);
}

static herr_t put_levels(const oak_grid_view_t *view, hid_t root,
                         const oak_vtkhdf_content_t *content, int64_t *place) {
  herr_t bad = put_text(root, "Type", "OverlappingAMR");
  bad |= put_text(root, "GridDescription", "XYZ");
  bad |= put_attribute(root, "Origin", H5T_NATIVE_DOUBLE, 3, view->xmin);
  for (int l = 0; l < content->nlevel; l++)
    bad |= put_level(view, root, content, l, place + l * (1 + content->narray));
  return bad;
}

static herr_t put_cells(const oak_grid_view_t *view, hid_t root,
                        const oak_vtkhdf_content_t *content, int64_t *place) {
  const int64_t ids = content->cells << view->dim;
  const hsize_t points[2] = {(hsize_t)content->points, 3}, cells = (hsize_t)content->cells;
  const hsize_t corners = (hsize_t)ids, offsets = cells + 1;
  const hid_t data = new_group(root, "CellData");
  herr_t bad = put_text(root, "Type", "UnstructuredGrid");
  bad |= put_value(root, "NumberOfPoints", H5T_NATIVE_INT64, &content->points);
  bad |= put_value(root, "NumberOfCells", H5T_NATIVE_INT64, &content->cells);
  bad |= put_value(root, "NumberOfConnectivityIds", H5T_NATIVE_INT64, &ids);
  bad |= reserve(root, "Points", "", H5T_NATIVE_DOUBLE, 2, points, &place[OAK_VTKHDF_POINTS]);
  bad |=
      reserve(root, "Connectivity", "", H5T_NATIVE_INT64, 1, &corners, &place[OAK_VTKHDF_CORNERS]);
  bad |= reserve(root, "Offsets", "", H5T_NATIVE_INT64, 1, &offsets, &place[OAK_VTKHDF_OFFSETS]);
  bad |= reserve(root, "Types", "", H5T_NATIVE_UINT8, 1, &cells, &place[OAK_VTKHDF_TYPES]);
  bad |= reserve_values(view, content, data, content->cells, &place[OAK_VTKHDF_ARRAYS]);
  bad |= H5Gclose(new_group(root, "PointData"));
  return bad | H5Gclose(data);
}

static herr_t put_all(const oak_grid_view_t *view, hid_t file, const oak_vtkhdf_content_t *content,
                      int64_t *place) {
  const int32_t version[2] = {FORMAT_MAJOR, FORMAT_MINOR};
  const int64_t step = view->step;
  const hid_t root = new_group(file, "VTKHDF"), data = new_group(root, "FieldData");
  herr_t bad = put_attribute(root, "Version", H5T_NATIVE_INT32, 2, version);
  bad |= put_value(data, "time", H5T_NATIVE_DOUBLE, &view->time);
  bad |= put_value(data, "step", H5T_NATIVE_INT64, &step);
  bad |= content->level ? put_levels(view, root, content, place)
                        : put_cells(view, root, content, place);
  bad |= H5Gclose(data);
  return bad | H5Gclose(root);
}

oak_status_t oak_vtkhdf_create(const oak_grid_view_t *view, const oak_vtkhdf_content_t *content,
                               const char *path, int64_t *place) {
  H5E_auto2_t print;
  void *client;
  /* HDF5 keeps a file that it could not close, and closes it again when the process ends: 1.10.8
   * crashes then. */
  (void)H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &print, &client);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* the message is ours */
  errno = 0;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  herr_t bad = H5Pset_alignment(access, ALIGN_FROM, ALIGN);
  const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, access);
  bad |= put_all(view, file, content, place);
  bad |= H5Fclose(file);
  const int reason = errno;
  bad |= H5Pclose(access);
  H5Eset_auto2(H5E_DEFAULT, print, client);
  return bad < 0 ? oak_file_failed("write", path, reason ? reason : EIO) : OAK_OK;
}

#else

oak_status_t oak_vtkhdf_supported(const char *what) {
  return OAK_FAIL(OAK_ERR_UNSUPPORTED,
                  "%s: VTKHDF files need HDF5, which was missing when oak was built: install "
                  "libhdf5-dev and build oak again, or choose kind = plotfile",
                  what);
}

oak_status_t oak_vtkhdf_create(const oak_grid_view_t *view, const oak_vtkhdf_content_t *content,
                               const char *path, int64_t *place) {
  (void)view, (void)content, (void)place;
  return oak_vtkhdf_supported(path);
}

#endif
