/* The same as rows.py, on packed doubles: what each function does stands there. Each adds and multiplies in
 * the order that stands there, and one by one, so that both come to the same last digit.
 *
 * A Row is a sequence that never changes. Where a function takes one it takes any sequence of numbers.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>

typedef struct {
    PyObject_VAR_HEAD
    double cells[1];
} Row;

static PyTypeObject RowType;

#define MOST_CELLS ((Py_ssize_t)1 << 32) /* in a row, and that rows lie apart: sums of these do not overflow */

static Row *
new_row(Py_ssize_t size)
{
    if (size > MOST_CELLS)
        return (Row *)PyErr_NoMemory();
    return PyObject_NewVar(Row, &RowType, size > 0 ? size : 0);
}

/* The cells of an argument. `held` is the row that they belong to. */
typedef struct {
    const double *cells;
    Py_ssize_t size;
    Row *held;
} Cells;

static Row *
packed(PyObject *values)
{
    PyObject *numbers = PySequence_Tuple(values); /* a list could change while its numbers are asked */
    if (numbers == NULL)
        return NULL;
    Py_ssize_t size = PyTuple_GET_SIZE(numbers);
    Row *row = new_row(size);
    for (Py_ssize_t n = 0; row != NULL && n < size; n++) {
        row->cells[n] = PyFloat_AsDouble(PyTuple_GET_ITEM(numbers, n));
        if (row->cells[n] == -1.0 && PyErr_Occurred())
            Py_CLEAR(row);
    }
    Py_DECREF(numbers);
    return row;
}

static int
take(PyObject *argument, Cells *taken)
{
    taken->held = Py_IS_TYPE(argument, &RowType) ? (Row *)Py_NewRef(argument) : packed(argument);
    if (taken->held == NULL)
        return 0;
    taken->cells = taken->held->cells;
    taken->size = Py_SIZE(taken->held);
    return 1;
}

static int
take_size(PyObject *argument, Py_ssize_t *taken)
{
    *taken = PyNumber_AsSsize_t(argument, PyExc_OverflowError);
    if (*taken == -1 && PyErr_Occurred())
        return 0;
    if (*taken > MOST_CELLS || *taken < -MOST_CELLS) {
        PyErr_SetString(PyExc_OverflowError, "no row has so many cells");
        return 0;
    }
    return 1;
}

static int
take_float(PyObject *argument, double *taken)
{
    *taken = PyFloat_AsDouble(argument);
    return *taken != -1.0 || !PyErr_Occurred();
}

static int
has(const char *name, Py_ssize_t asked, Py_ssize_t given)
{
    if (asked == given)
        return 1;
    PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, asked, given);
    return 0;
}

static Py_ssize_t
least_of(Py_ssize_t one, Py_ssize_t other)
{
    return one < other ? one : other;
}

static PyObject *
row(PyObject *module, PyObject *values)
{
    if (Py_IS_TYPE(values, &RowType))
        return Py_NewRef(values);
    return (PyObject *)packed(values);
}

static PyObject *
total(PyObject *module, PyObject *argument)
{
    Cells of;
    if (!take(argument, &of))
        return NULL;
    double sum = 0.0;
    for (Py_ssize_t n = 0; n < of.size; n++)
        sum += of.cells[n];
    Py_DECREF(of.held);
    return PyFloat_FromDouble(sum);
}

static PyObject *
sums_of(PyObject *module, PyObject *argument)
{
    Cells of;
    if (!take(argument, &of))
        return NULL;
    Row *sums = new_row(of.size + 1);
    if (sums != NULL) {
        double sum = sums->cells[0] = 0.0;
        for (Py_ssize_t n = 0; n < of.size; n++)
            sums->cells[n + 1] = sum += of.cells[n];
    }
    Py_DECREF(of.held);
    return (PyObject *)sums;
}

static PyObject *
upto(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells of;
    double factor;
    Py_ssize_t first, size;
    if (!has("upto", 4, given) || !take_float(arguments[1], &factor) || !take_size(arguments[2], &first) ||
        !take_size(arguments[3], &size) || !take(arguments[0], &of))
        return NULL;
    Row *found = new_row(size);
    if (found != NULL) {
        double sum = 0.0;
        Py_ssize_t next = 0;
        for (Py_ssize_t n = 0; n < size; n++) {
            for (; next < of.size && next <= first + n; next++)
                sum += of.cells[next];
            found->cells[n] = factor * sum;
        }
    }
    Py_DECREF(of.held);
    return (PyObject *)found;
}

static PyObject *
scaled(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells of;
    double factor;
    if (!has("scaled", 2, given) || !take_float(arguments[1], &factor) || !take(arguments[0], &of))
        return NULL;
    Row *found = new_row(of.size);
    for (Py_ssize_t n = 0; found != NULL && n < of.size; n++)
        found->cells[n] = factor * of.cells[n];
    Py_DECREF(of.held);
    return (PyObject *)found;
}

static PyObject *
mixed(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells ours, theirs;
    double share;
    if (!has("mixed", 3, given) || !take_float(arguments[1], &share) || !take(arguments[0], &ours))
        return NULL;
    if (!take(arguments[2], &theirs)) {
        Py_DECREF(ours.held);
        return NULL;
    }
    Row *found = new_row(ours.size);
    double rest = 1.0 - share;
    for (Py_ssize_t n = 0; found != NULL && n < ours.size; n++)
        found->cells[n] = share * ours.cells[n] + rest * (n < theirs.size ? theirs.cells[n] : 0.0);
    Py_DECREF(ours.held);
    Py_DECREF(theirs.held);
    return (PyObject *)found;
}

static PyObject *
weighed(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells of, by;
    Py_ssize_t ahead;
    if (!has("weighed", 3, given) || !take_size(arguments[2], &ahead) || !take(arguments[0], &of))
        return NULL;
    if (!take(arguments[1], &by)) {
        Py_DECREF(of.held);
        return NULL;
    }
    Py_ssize_t size = by.size ? least_of(of.size, by.size + ahead) : 0;
    Row *found = new_row(size);
    if (found != NULL) {
        Py_ssize_t lead = ahead > 0 ? least_of(ahead, size) : 0;
        for (Py_ssize_t n = 0; n < lead; n++)
            found->cells[n] = of.cells[n] * by.cells[0];
        for (Py_ssize_t n = lead; n < size; n++)
            found->cells[n] = of.cells[n] * by.cells[n - ahead];
    }
    Py_DECREF(of.held);
    Py_DECREF(by.held);
    return (PyObject *)found;
}

static PyObject *
led(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells of;
    Py_ssize_t ahead;
    if (!has("led", 2, given) || !take_size(arguments[1], &ahead) || !take(arguments[0], &of))
        return NULL;
    ahead = of.size && ahead > 0 ? ahead : 0;
    Row *found = new_row(of.size + ahead);
    if (found != NULL) {
        for (Py_ssize_t n = 0; n < ahead; n++)
            found->cells[n] = of.cells[0];
        for (Py_ssize_t n = 0; n < of.size; n++)
            found->cells[ahead + n] = of.cells[n];
    }
    Py_DECREF(of.held);
    return (PyObject *)found;
}

static PyObject *
until_now(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells of;
    Py_ssize_t more;
    double part;
    if (!has("until_now", 3, given) || !take_size(arguments[1], &more) || !take_float(arguments[2], &part) ||
        !take(arguments[0], &of))
        return NULL;
    Py_ssize_t size = of.size + (more > 0 ? more : 0);
    Row *found = NULL;
    if (size == 0)
        PyErr_SetString(PyExc_IndexError, "until_now() takes one cell or more");
    else
        found = new_row(size);
    if (found != NULL) {
        for (Py_ssize_t n = 0; n < size; n++)
            found->cells[n] = n < of.size ? of.cells[n] : 1.0;
        found->cells[size - 1] *= part;
    }
    Py_DECREF(of.held);
    return (PyObject *)found;
}

static PyObject *
ends(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells of;
    double share;
    if (!has("ends", 2, given) || !take_float(arguments[1], &share) || !take(arguments[0], &of))
        return NULL;
    double most = of.size ? of.cells[0] : 0.0;
    for (Py_ssize_t n = 1; n < of.size; n++)
        most = of.cells[n] > most ? of.cells[n] : most;
    Py_ssize_t lo = 0, hi = of.size;
    while (lo < hi && of.cells[lo] <= most * share)
        lo++;
    while (hi > lo && of.cells[hi - 1] <= most * share)
        hi--;
    Py_DECREF(of.held);
    return Py_BuildValue("(nn)", lo, hi);
}

/* Twice the sum below the middle of each cell, of those that begin `later` cells later. */
static inline double
twice(const Cells *sums, Py_ssize_t n, Py_ssize_t later)
{
    n -= later;
    if (n < 0)
        return 0.0;
    return n + 1 < sums->size ? sums->cells[n] + sums->cells[n + 1] : 2.0 * sums->cells[sums->size - 1];
}

static PyObject *
next_after(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    Cells sums;
    Py_ssize_t size, shortest, longest, cells;
    double pause;
    if (!has("next_after", 6, given) || !take_size(arguments[1], &size) ||
        !take_size(arguments[2], &shortest) || !take_size(arguments[3], &longest) ||
        !take_size(arguments[4], &cells) || !take_float(arguments[5], &pause) || !take(arguments[0], &sums))
        return NULL;
    Row *found = NULL;
    if (sums.size < 1 || size < 1 || shortest < 0 || longest <= shortest)
        PyErr_Format(PyExc_ValueError, "no %zd cells after %zd sums and a gap of %zd to %zd", size, sums.size,
                     shortest, longest);
    else if (pause != 0.0 && cells == 0)
        PyErr_SetString(PyExc_ZeroDivisionError, "a pause takes one cell or more");
    else
        found = new_row(size);
    if (found != NULL) {
        double usual = (1.0 - pause) / (double)(2 * (longest - shortest));
        double rare = pause != 0.0 ? pause / (double)(2 * cells) : 0.0;
        for (Py_ssize_t n = 0; n < size; n++) {
            double gap = usual * (twice(&sums, n, shortest) - twice(&sums, n, longest));
            found->cells[n] =
                pause != 0.0 ? gap + rare * (twice(&sums, n, 0) - twice(&sums, n, cells)) : gap;
        }
    }
    Py_DECREF(sums.held);
    return (PyObject *)found;
}

/* -- the sequence */

static Py_ssize_t
row_length(PyObject *self)
{
    return Py_SIZE(self);
}

static PyObject *
row_item(PyObject *self, Py_ssize_t number)
{
    if (number < 0 || number >= Py_SIZE(self)) {
        PyErr_SetString(PyExc_IndexError, "the row has no such cell");
        return NULL;
    }
    return PyFloat_FromDouble(((Row *)self)->cells[number]);
}

static PyObject *
row_subscript(PyObject *self, PyObject *key)
{
    if (!PySlice_Check(key)) {
        Py_ssize_t number;
        if (!take_size(key, &number))
            return NULL;
        return row_item(self, number < 0 ? number + Py_SIZE(self) : number);
    }
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t size = PySlice_AdjustIndices(Py_SIZE(self), &start, &stop, step);
    Row *found = new_row(size);
    for (Py_ssize_t n = 0; found != NULL && n < size; n++)
        found->cells[n] = ((Row *)self)->cells[start + n * step];
    return (PyObject *)found;
}

static PyObject *
row_compare(PyObject *self, PyObject *other, int how)
{
    if (!Py_IS_TYPE(other, &RowType) || (how != Py_EQ && how != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    int is_same = Py_SIZE(self) == Py_SIZE(other);
    for (Py_ssize_t n = 0; is_same && n < Py_SIZE(self); n++)
        is_same = ((Row *)self)->cells[n] == ((Row *)other)->cells[n];
    return PyBool_FromLong(is_same == (how == Py_EQ));
}

static PyObject *
row_repr(PyObject *self)
{
    PyObject *cells = PySequence_Tuple(self);
    PyObject *text = cells == NULL ? NULL : PyObject_Repr(cells);
    Py_XDECREF(cells);
    return text;
}

static PySequenceMethods row_as_sequence = {
    .sq_length = row_length,
    .sq_item = row_item,
};

static PyMappingMethods row_as_mapping = {
    .mp_length = row_length,
    .mp_subscript = row_subscript,
};

static PyTypeObject RowType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "shoe_bridge.table.rows.Row",
    .tp_doc = "Floats that never change.",
    .tp_basicsize = offsetof(Row, cells),
    .tp_itemsize = sizeof(double),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_as_sequence = &row_as_sequence,
    .tp_as_mapping = &row_as_mapping,
    .tp_richcompare = row_compare,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_repr = row_repr,
};

#define FAST(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}

static PyMethodDef functions[] = {
    {"row", row, METH_O, NULL},
    {"total", total, METH_O, NULL},
    {"sums_of", sums_of, METH_O, NULL},
    FAST(upto),
    FAST(scaled),
    FAST(mixed),
    FAST(weighed),
    FAST(led),
    FAST(until_now),
    FAST(ends),
    FAST(next_after),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoe_bridge.table.rows",
    .m_doc = "Arithmetic on the rows of floats that densities consist of, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit_rows(void)
{
    if (PyType_Ready(&RowType) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || PyModule_AddObjectRef(module, "Row", (PyObject *)&RowType) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
